// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "column_sum.hpp"

namespace mlp::cuda {

namespace {

constexpr unsigned kNumThreads = 512;
constexpr unsigned kMaxLanes = 32;
constexpr Index kMinSliceSize = 1024;
constexpr Index kMaxSlices = 256;

/// How blocks share the units and columns of a matrix.
struct Slices {
  Index units;
  Index size;
  Index slice_size;  ///< columns of a block
  Index num_slices;  ///< at most kMaxSlices
  Index num_tiles;   ///< of lanes units each
  unsigned
      num_lanes;  ///< units of a block, a power of two; each has kNumThreads /
                  ///< num_lanes threads
};

Slices slice(Index units, Index size) {
  Slices slices{};
  slices.units = units;
  slices.size = size;
  slices.slice_size =
      std::max(kMinSliceSize, (size + kMaxSlices - 1) / kMaxSlices);
  slices.num_slices =
      std::max<Index>(1, (size + slices.slice_size - 1) / slices.slice_size);
  slices.num_lanes =
      std::bit_ceil(static_cast<unsigned>(std::min<Index>(units, kMaxLanes)));
  slices.num_tiles = (units + slices.num_lanes - 1) / slices.num_lanes;
  return slices;
}

/// Adds the columns of each slice: thread g of a unit adds columns g, g +
/// num_groups, .., and then the threads of the unit add their sums pairwise.
///
/// \param[in,out] sums  [units x num_slices]
template <typename T, typename Sum>
__global__ void __launch_bounds__(kNumThreads)
    column_sum_kernel(Slices slices, const T* numbers, bool adds, Sum* sums) {
  double* const shared = shared_memory<double>();
  const unsigned thread = threadIdx.x;
  const unsigned group = thread / slices.num_lanes;
  const unsigned num_groups = kNumThreads / slices.num_lanes;
  const Index tile = static_cast<Index>(blockIdx.x) % slices.num_tiles;
  const Index part = static_cast<Index>(blockIdx.x) / slices.num_tiles;
  const Index unit = tile * slices.num_lanes + thread % slices.num_lanes;
  const Index first = part * slices.slice_size;
  const Index end = first + slices.slice_size < slices.size
                        ? first + slices.slice_size
                        : slices.size;
  double sum = 0.0;
  if (unit < slices.units) {
    for (Index column = first + group; column < end; column += num_groups) {
      sum += number_cast<double>(numbers[unit + column * slices.units]);
    }
  }
  shared[thread] = sum;
  __syncthreads();
  for (unsigned width = num_groups / 2; width > 0; width /= 2) {
    if (group < width) {
      shared[thread] += shared[thread + width * slices.num_lanes];
    }
    __syncthreads();
  }
  if (group > 0 || unit >= slices.units) return;
  Sum& to = sums[unit + part * slices.units];
  to = static_cast<Sum>(adds ? static_cast<double>(to) + shared[thread]
                             : shared[thread]);
}

template <typename T, typename Sum>
void add_slices(const Slices& slices, const T* numbers,
                const SumTarget<Sum>& target, cudaStream_t stream) {
  const Index num_blocks = slices.num_tiles * slices.num_slices;
  launch(column_sum_kernel<T, Sum>,
         {static_cast<unsigned>(num_blocks), kNumThreads,
          kNumThreads * sizeof(double)},
         stream, slices, numbers, target.adds, target.sums);
}

}  // namespace

Index num_column_partials(Index units, Index size) {
  const Slices slices = slice(units, size);
  return slices.num_slices == 1 ? 0 : units * slices.num_slices;
}

template <typename T, typename Sum>
void column_sum(Index units, Index size, const T* numbers, double* partials,
                const SumTarget<Sum>& target, cudaStream_t stream) {
  const Slices slices = slice(units, size);
  if (slices.num_slices == 1) {
    add_slices(slices, numbers, target, stream);
    return;
  }
  add_slices(slices, numbers, SumTarget<double>{partials}, stream);
  add_slices(slice(units, slices.num_slices), partials, target, stream);
}

template void column_sum(Index, Index, const double*, double*,
                         const SumTarget<double>&, cudaStream_t);
template void column_sum(Index, Index, const float*, double*,
                         const SumTarget<double>&, cudaStream_t);
template void column_sum(Index, Index, const BFloat16*, double*,
                         const SumTarget<double>&, cudaStream_t);
template void column_sum(Index, Index, const float*, double*,
                         const SumTarget<float>&, cudaStream_t);
template void column_sum(Index, Index, const BFloat16*, double*,
                         const SumTarget<float>&, cudaStream_t);

}  // namespace mlp::cuda
