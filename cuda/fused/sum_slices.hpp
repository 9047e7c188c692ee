// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// Adds the gradients and the losses of slices, in double and in an order that
/// depends on num_slices only.
///
/// \tparam     Number     double or float
/// \param      gradients  [num_weights x num_slices]
/// \param      losses     [num_slices]
/// \param[out] value      [1]
/// \param[out] gradient   [num_weights]
/// \cost   num_weights num_slices additions; reads as many numbers
template <typename Number>
void sum_slices(Index num_weights, Index num_slices, const Number* gradients,
                const double* losses, double* value, double* gradient,
                cudaStream_t stream);

}  // namespace mlp::cuda
