// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../core/index.hpp"
#include "number_types.hpp"

namespace mlp::cuda {

/// Batch normalisation of one layer in the forward pass, on the device.
///
/// \tparam Number  double or float
template <typename Number>
struct BatchNormOutput {
  Index units = 0;
  Index size = 0;  ///< at least 2 unless is_frozen

  /// True to normalise with the running statistics and to leave them unchanged.
  bool is_frozen = false;

  const Number* biases = nullptr;  ///< [units]
  const Number* scales = nullptr;  ///< [units]
  const Number* shifts = nullptr;  ///< [units]

  Number* running_mean = nullptr;      ///< in and out   [units]
  Number* running_variance = nullptr;  ///< in and out   [units]

  /// in: W x; out: scale n + shift   [units x size]
  Number* z = nullptr;

  /// out: n = (W x + b - mean) / deviation   [units x size]
  Number* normalised = nullptr;

  double* deviation = nullptr;  ///< out: sqrt(variance + epsilon)   [units]
};

/// Normalises each unit over the instances: two passes for mean and variance in
/// double and in an order that depends on the sizes only, and one that writes.
///
/// \cost reads z three times and writes 2 units size numbers; one block computes
///       32 units, so that few units use few multiprocessors
template <typename Number>
void batch_norm_output(const BatchNormOutput<Number>& layer,
                       cudaStream_t stream);

/// Batch normalisation of one layer in the backward pass, on the device.
///
/// \tparam Number  double or float
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Number, typename Input>
struct BatchNormDelta {
  Index units = 0;
  Index size = 0;
  bool is_frozen = false;  ///< as in the forward pass

  const Number* scales = nullptr;      ///< [units]
  const double* deviation = nullptr;   ///< [units]
  const Number* normalised = nullptr;  ///< read unless is_frozen [units x size]

  /// g = d loss / d (scale n + shift)   [units x size]
  const Number* output_delta = nullptr;

  /// out: d loss / d (W x + b); may be the memory of output_delta if it has its
  /// type   [units x size]
  Input* delta = nullptr;

  /// \name out: the sum of g n and the sum of g; not written if is_frozen. [units]
  /// @{
  Number* scale_gradient = nullptr;
  Number* shift_gradient = nullptr;
  /// @}
};

/// Computes scale / deviation (g - sum(g) / size - n sum(g n) / size), or scale /
/// deviation g if is_frozen.
///
/// \cost reads output_delta and normalised twice, writes delta once
template <typename Number, typename Input>
void batch_norm_delta(const BatchNormDelta<Number, Input>& layer,
                      cudaStream_t stream);

}  // namespace mlp::cuda
