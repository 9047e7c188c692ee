// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../../core/index.hpp"
#include "number_types.hpp"

namespace mlp::cuda {

/// Where sums go.
template <typename Sum>
struct SumTarget {
  Sum* sums = nullptr;  ///< one for each row of the matrix
  bool adds = false;    ///< true to add to what sums contains
};

/// Returns how many partial sums column_sum() needs memory for.
[[nodiscard]] Index num_column_partials(Index units, Index size);

/// Adds the columns of a matrix, in double and in an order that depends on the
/// sizes only.
///
/// The columns of deltas give the gradient of the biases, losses with units = 1
/// their sum.
///
/// \tparam        T         double, float or BFloat16
/// \tparam        Sum       double or float
/// \param         numbers   [units x size]
/// \param         partials  overwritten   [num_column_partials(units, size)]
/// \param         target    [units]
/// \cost   reads units size numbers; one launch for up to 1024 columns, else two
template <typename T, typename Sum>
void column_sum(Index units, Index size, const T* numbers, double* partials,
                const SumTarget<Sum>& target, cudaStream_t stream);

}  // namespace mlp::cuda
