// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "../../../core/index.hpp"
#include "../../../mlp/network/loss.hpp"
#include "../number_types.hpp"

namespace mlp::cuda {

/// What the outputs of some instances are compared with. All arrays are on the device.
struct LossTarget {
  Index num_outputs = 0;
  Index size = 0;  ///< instances
  LossFunction loss_function;
  Likelihood likelihood = Likelihood::kLogSumExp;

  const std::int32_t* labels = nullptr;  ///< kSoftmaxNll   [size]
  const double* targets = nullptr;  ///< other losses   [num_outputs x size]
  const double* weights = nullptr;  ///< of the instances [size]; null for 1

  /// \name The weights are divided by *divisor, or by *weight_sum if *divisor is
  /// 0.
  /// @{
  const double* divisor = nullptr;     ///< [1]; null to divide by nothing
  const double* weight_sum = nullptr;  ///< [1]; null for size
  /// @}
};

/// The arrays of the last layer and of its instances, on the device.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
struct OutputDelta {
  LossTarget target;

  const Number* product = nullptr;  ///< W x   [num_outputs x size]
  const Number* biases = nullptr;   ///< [num_outputs]; null if product has them

  /// out: d loss / d z; may be the memory of product if it has its type
  /// [num_outputs x size]
  Input* delta = nullptr;

  double* losses = nullptr;  ///< out: weight times loss   [size]
};

/// The outputs from which on a warp computes one instance. Below, it is a thread,
/// which adds in the order of the outputs.
inline constexpr Index kNumOutputsOfWarp = 64;

/// Computes losses and deltas of the last layer by the formulas of
/// mlp/network/loss_formulas.hpp.
///
/// z = W x + b is rounded to Number; all that follows is in double. An instance of
/// weight 0 has the loss 0 and the delta 0, whatever its outputs are. So have all
/// instances if the divisor is 0.
///
/// \cost reads product three times, from the cache after the first, and writes it
///       once; 2 num_outputs size exponential functions
template <typename Number, typename Input>
void output_delta(const OutputDelta<Number, Input>& layer, cudaStream_t stream);

}  // namespace mlp::cuda
