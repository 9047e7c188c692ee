// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// How kernels walk over the columns of a matrix and add them up. For .cu files only.

#include <algorithm>
#include <bit>

#include "../../core/index.hpp"
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"

namespace mlp::cuda {

/// The threads of a block that adds columns.
inline constexpr unsigned kSliceThreads = 256;

/// How blocks share the units and columns of a matrix: a block computes the columns of
/// one slice, for the units of one tile. A thread has the same kWidth units in each
/// of its columns.
struct Slices {
  Index units = 0;
  Index size = 0;
  Index slice_size = 0;  ///< columns of a slice
  Index num_slices = 0;  ///< at most kMaxSlices
  Index num_tiles = 0;
  unsigned num_lanes = 1;  ///< threads side by side in a column, a power of two

  static constexpr unsigned kMaxLanes = 32;
  static constexpr Index kMaxSlices = 256;

  /// \param num_units       a multiple of width
  /// \param num_columns     of the matrix
  /// \param width           the units of a thread
  /// \param min_slice_size  the columns of a slice, unless there are many
  Slices(Index num_units, Index num_columns, int width, Index min_slice_size)
      : units(num_units),
        size(num_columns),
        slice_size(
            std::max(min_slice_size, (size + kMaxSlices - 1) / kMaxSlices)),
        num_slices(std::max<Index>(1, (size + slice_size - 1) / slice_size)) {
    const Index packs = units / width;
    num_lanes =
        std::bit_ceil(static_cast<unsigned>(std::min<Index>(packs, kMaxLanes)));
    num_tiles = (packs + num_lanes - 1) / num_lanes;
  }

  /// Returns the grid of a kernel.
  [[nodiscard]] Grid grid(int width) const {
    return {static_cast<unsigned>(num_tiles * num_slices), kSliceThreads,
            kSliceThreads * static_cast<std::size_t>(width) * sizeof(double)};
  }
};

/// The place of a thread in a slice, and the sums of its columns.
template <int kWidth>
class SliceWalk {
 public:
  __device__ explicit SliceWalk(const Slices& slices)
      : slices_(slices),
        slice_(static_cast<Index>(blockIdx.x) / slices.num_tiles),
        group_(threadIdx.x / slices.num_lanes),
        num_groups_(kSliceThreads / slices.num_lanes) {
    const Index tile = static_cast<Index>(blockIdx.x) % slices.num_tiles;
    unit_ = (tile * slices.num_lanes + threadIdx.x % slices.num_lanes) * kWidth;
  }

  /// The first unit of the thread.
  [[nodiscard]] __device__ Index unit() const { return unit_; }

  /// Calls use(column, load(column)) for the columns of the thread. It loads two columns
  /// before it uses the first, so that the second need not wait for what use() stores.
  template <typename Load, typename Use>
  __device__ void for_each_column(Load&& load, Use&& use) const {
    if (unit_ >= slices_.units) return;
    const Index first = slice_ * slices_.slice_size;
    const Index last = first + slices_.slice_size;
    const Index end = last < slices_.size ? last : slices_.size;
    for (Index column = first + group_; column < end;
         column += 2 * num_groups_) {
      const Index next = column + num_groups_;
      const auto numbers = load(column);
      const auto next_numbers = load(next < end ? next : column);
      use(column, numbers);
      if (next < end) use(next, next_numbers);
    }
  }

  /// Adds the sums of the threads of each unit pairwise, and stores them.
  ///
  /// \param         numbers  the sums of this thread
  /// \param         adds     true to add to what sums contains
  /// \param[in,out] sums     [units x num_slices]
  /// \pre every thread calls; the block has the shared memory of grid(kWidth)
  template <typename Sum>
  __device__ void store_sums(const double (&numbers)[kWidth], bool adds,
                             Sum* sums) const {
    double* const shared = shared_memory<double>();
    const unsigned thread = threadIdx.x;
    for (unsigned i = 0; i < kWidth; ++i) {
      shared[i * kSliceThreads + thread] = numbers[i];
    }
    __syncthreads();
    for (unsigned width = num_groups_ / 2; width > 0; width /= 2) {
      for (unsigned i = 0; i < kWidth && group_ < width; ++i) {
        double* const sum = shared + i * kSliceThreads + thread;
        *sum += sum[width * slices_.num_lanes];
      }
      __syncthreads();
    }
    if (group_ > 0 || unit_ >= slices_.units) return;
    for (unsigned i = 0; i < kWidth; ++i) {
      Sum& to = sums[unit_ + i + slice_ * slices_.units];
      const double sum = shared[i * kSliceThreads + thread];
      to = static_cast<Sum>(adds ? static_cast<double>(to) + sum : sum);
    }
  }

 private:
  const Slices& slices_;
  Index slice_;
  unsigned group_;  ///< of the threads that have a column
  unsigned num_groups_;
  Index unit_;
};

}  // namespace mlp::cuda
