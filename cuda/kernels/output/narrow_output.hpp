// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../../activations/activation.hpp"
#include "../../../core/index.hpp"
#include "../column_sum.hpp"
#include "../number_types.hpp"
#include "output_delta.hpp"

namespace mlp::cuda {

/// A last layer of few outputs and the hidden layer before it, all on the device.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
struct NarrowOutput {
  LossTarget target;
  Index units = 0;  ///< of the hidden layer
  Activation activation;

  const Number* product = nullptr;         ///< W x   [units x size]
  const Number* biases = nullptr;          ///< [units]
  const Number* output_weights = nullptr;  ///< [num_outputs x units]
  const Number* output_biases = nullptr;   ///< [num_outputs]

  /// out: f(z); may be the memory of product if it has its type [units x size]
  Input* value = nullptr;
  Input* delta = nullptr;         ///< out: d loss / d z   [units x size]
  Input* output_delta = nullptr;  ///< out   [num_outputs x size]

  double* partials = nullptr;  ///< [num_narrow_partials()]

  SumTarget<double> loss;                  ///< [1]
  SumTarget<Number> bias_gradient;         ///< [units]
  SumTarget<Number> output_bias_gradient;  ///< [num_outputs]
};

/// The most outputs of a narrow layer.
inline constexpr Index kMaxNarrowOutputs = 15;

/// Returns how many partial sums narrow_output() needs memory for.
[[nodiscard]] Index num_narrow_partials(Index units, Index num_outputs,
                                        Index size);

/// Computes what hidden_output(), a product of matrices, output_delta(), another
/// product, hidden_delta() and three column_sum() compute, without their passes
/// over the memory of the device.
///
/// The products are computed in Number, also if those by cuBLAS have rounded
/// factors. The order of every sum depends on the sizes only.
///
/// \pre  size >= 1 and 1 <= num_outputs <= kMaxNarrowOutputs; the derivative of the activation
///       needs no z
/// \cost reads product and value once and writes value and delta once, each units
///       size numbers; 4 num_outputs units size flops and units size values of the
///       activation; 2 launches
template <typename Number, typename Input>
void narrow_output(const NarrowOutput<Number, Input>& layer,
                   cudaStream_t stream);

}  // namespace mlp::cuda
