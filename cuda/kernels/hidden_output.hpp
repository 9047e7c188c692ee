// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../activations/activation.hpp"
#include "../../core/index.hpp"
#include "number_types.hpp"
#include "unit_dropout.hpp"

namespace mlp::cuda {

/// The arrays of one hidden layer in the forward pass, all on the device and
/// [units x size] unless they say otherwise.
///
/// z, value and output may be the memory of product if they have its type.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
struct HiddenOutput {
  Index units = 0;
  Index size = 0;
  Activation activation;
  UnitDropout dropout;

  const Number* product =
      nullptr;  ///< W x; with batch normalisation its result

  /// [units]; null if product contains them.
  const Number* biases = nullptr;

  /// \name Added to the output of a residual layer; one of them, or none.
  /// @{
  const Input* skip_input = nullptr;     ///< the input of the layer
  const Number* skip_product = nullptr;  ///< P x
  /// @}

  Number* z = nullptr;      ///< out: product + biases; null if not needed
  Number* value = nullptr;  ///< out: f(z); null if not needed
  Input* output =
      nullptr;  ///< out: the input of the next layer; null for z alone
};

/// Computes y = skip + dropout(f(z)) of a hidden layer in one pass, with z = W x +
/// b.
///
/// \cost reads product and the skipped input once, writes z, value and output
///       once, each units size numbers; units size values of f and hashes
template <typename Number, typename Input>
void hidden_output(const HiddenOutput<Number, Input>& layer,
                   cudaStream_t stream);

}  // namespace mlp::cuda
