// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../activations/activation.hpp"
#include "../../core/index.hpp"
#include "column_sum.hpp"
#include "number_types.hpp"
#include "unit_dropout.hpp"

namespace mlp::cuda {

/// The arrays of one hidden layer in the backward pass, all on the device and
/// [units x size].
///
/// An array that is written may be the memory of output_delta if it has its type.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
struct HiddenDelta {
  Index units = 0;
  Index size = 0;
  Activation activation;
  UnitDropout dropout;

  const Number* output_delta = nullptr;  ///< d loss / d y
  const Number* z = nullptr;             ///< read if activation.needs_input()

  /// \name f(z): one of them.
  /// @{
  const Number* value = nullptr;
  const Input* output =
      nullptr;  ///< of a layer without branch; read if value is
                ///< null
  /// @}

  /// out: d loss / d z, the operand of products; null if not needed
  Input* delta = nullptr;

  /// out: the same before it is rounded, for batch_norm_delta(); null if not
  /// needed
  Number* unrounded_delta = nullptr;

  /// out: output_delta as an operand of products, for a projection; null if not
  /// needed
  Input* rounded_output_delta = nullptr;

  /// \name The gradient of the biases, the sum of delta over the instances. It is not
  /// computed if partials is null.
  /// @{
  double* partials = nullptr;       ///< [num_delta_partials(units, size)]
  SumTarget<Number> bias_gradient;  ///< out   [units]
  /// @}
};

/// Returns how many partial sums hidden_delta() needs memory for.
[[nodiscard]] Index num_delta_partials(Index units, Index size);

/// Turns d loss / d y of a hidden layer into d loss / d z in one pass, and adds it up as
/// column_sum() does.
///
/// \cost reads output_delta, z and f(z) once, writes the other arrays once, each
///       units size numbers; units size derivatives and hashes; 2 launches, 1 without
///       sums
template <typename Number, typename Input>
void hidden_delta(const HiddenDelta<Number, Input>& layer, cudaStream_t stream);

}  // namespace mlp::cuda
