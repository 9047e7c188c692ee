// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// How the kernels of this folder add numbers up. For .cu files only.

#include "../../core/index.hpp"
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "vector_sums.hpp"

namespace mlp::cuda {

/// The threads of a block that makes sums. Eight of them finish each sum.
inline constexpr unsigned kSumThreads = 256;
inline constexpr unsigned kSumParts = 8;

/// The numbers of a row in shared memory: the threads that finish neighbouring
/// sums read different banks.
inline constexpr unsigned kSumRow = kSumThreads + kSumParts;

/// Returns the grid of a kernel that makes partial sums of so many numbers of
/// each element.
[[nodiscard]] inline Grid partial_grid(Index num_elements, int num_sums) {
  return {static_cast<unsigned>(num_partials(num_elements)), kSumThreads,
          static_cast<std::size_t>(num_sums) * kSumRow * sizeof(double)};
}

/// Adds up the numbers of all threads of the block, each kind on its own.
///
/// \param      shared  [kNum * kSumRow]
/// \param[out] sums    in the memory of the device; sum k is at k * stride
/// \pre    every thread calls; blockDim.x is kSumThreads
template <int kNum>
__device__ inline void store_block_sums(const double (&numbers)[kNum],
                                        double* shared, double* sums,
                                        Index stride) {
  static_assert(kNum * kSumParts <= kSumThreads);
  const unsigned thread = threadIdx.x;
  for (int k = 0; k < kNum; ++k) shared[k * kSumRow + thread] = numbers[k];
  __syncthreads();
  const unsigned part = thread % kSumParts;
  double* const row = shared + thread / kSumParts * kSumRow;
  if (thread < kNum * kSumParts) {
    double sum = 0.0;
    for (unsigned i = part; i < kSumThreads; i += kSumParts) sum += row[i];
    row[part] = sum;
  }
  __syncthreads();
  if (thread < kNum) {
    const double* const parts = shared + thread * kSumRow;
    double sum = 0.0;
    for (unsigned i = 0; i < kSumParts; ++i) sum += parts[i];
    sums[thread * stride] = sum;
  }
}

/// Adds the partial sums of blocks.
///
/// \param      partials  [num_partials x num_sums]
/// \param      shared    [kSumThreads]; free afterwards
/// \param[out] sums      of shared memory or of the device   [num_sums]
/// \pre    every thread calls; blockDim.x is kSumThreads
/// \post   every thread of the block may read sums
__device__ inline void add_partials(const double* partials, Index num_partials,
                                    Index num_sums, double* shared,
                                    double* sums) {
  constexpr unsigned kAtOnce = kSumThreads / kSumParts;
  const unsigned thread = threadIdx.x;
  for (Index first = 0; first < num_sums; first += kAtOnce) {
    const Index k = first + thread / kSumParts;
    double part = 0.0;
    if (k < num_sums) {
      const double* const row = partials + k * num_partials;
      for (Index i = thread % kSumParts; i < num_partials; i += kSumParts) {
        part += row[i];
      }
    }
    shared[thread] = part;
    __syncthreads();
    if (thread < kAtOnce && first + thread < num_sums) {
      double sum = 0.0;
      for (unsigned i = 0; i < kSumParts; ++i) {
        sum += shared[thread * kSumParts + i];
      }
      sums[first + thread] = sum;
    }
    __syncthreads();
  }
}

}  // namespace mlp::cuda
