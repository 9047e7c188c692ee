// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The step of gradient descent.

#include <cuda_runtime.h>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// The vectors of gradient descent, in the memory of the device.
struct GradientStep {
  Index num_weights = 0;
  const double* step_size = nullptr;  ///< [1]
  const double* gradient = nullptr;   ///< [num_weights]
  double* x = nullptr;                ///< [num_weights]
  double* previous = nullptr;         ///< [num_weights]
};

/// Keeps x as previous, subtracts step_size gradient from x, and computes
/// |previous - x|^2 and |x|^2.
///
/// \param[out] partials  workspace   [num_partials(num_weights) x 2]
/// \param[out] sums      on the device   [2]
/// \cost   7 num_weights flops; reads two vectors and writes two; 2 launches
void make_gradient_step(const GradientStep& step, double* partials,
                        double* sums, cudaStream_t stream);

}  // namespace mlp::cuda
