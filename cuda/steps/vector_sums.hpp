// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Dot products and other sums over the elements of vectors.
///
/// A block adds some elements, and one block adds the partial sums of all. The
/// order of the additions depends only on the number of elements.

#include <cuda_runtime.h>

#include <algorithm>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// Returns the number of partial sums of so many elements.
[[nodiscard]] constexpr Index num_partials(Index num_elements) {
  constexpr Index kElements = 256;  // of a block, while there are few blocks
  constexpr Index kMaxPartials = 256;
  return std::clamp<Index>((num_elements + kElements - 1) / kElements, 1,
                           kMaxPartials);
}

/// Computes the dot products x.y and x.x.
///
/// \param      x, y      on the device   [num_elements]
/// \param[out] partials  workspace   [num_partials(num_elements) x 2]
/// \param[out] sums      on the device   [2]
/// \cost   4 num_elements flops; reads each vector once; 2 launches
void compute_dot_products(const double* x, const double* y, Index num_elements,
                          double* partials, double* sums, cudaStream_t stream);

/// Adds the partial sums that the blocks of a kernel made.
///
/// \param      partials  [num_partials x num_sums]
/// \param[out] sums      [num_sums]
/// \cost   num_partials num_sums additions, one launch
void finish_sums(const double* partials, Index num_partials, Index num_sums,
                 double* sums, cudaStream_t stream);

}  // namespace mlp::cuda
