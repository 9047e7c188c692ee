// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The words of CUDA C++ that kernels use, for a compiler that does not know
/// them. Kernels are compiled with this header in front.

#include <cmath>

#include "grid.hpp"

namespace mlp::cuda_host {

/// A number of the place of the thread that runs, as threadIdx.x.
template <auto Part, auto Number>
struct PlaceNumber {
  operator unsigned() const {  // NOLINT: as the number itself
    return this_thread().*Part.*Number;
  }
};

/// Three numbers of the place of the thread that runs, as threadIdx.
template <auto Part, typename Numbers>
struct PlaceNumbers {
  PlaceNumber<Part, &Numbers::x> x;
  PlaceNumber<Part, &Numbers::y> y;
  PlaceNumber<Part, &Numbers::z> z;
};

}  // namespace mlp::cuda_host

// NOLINTBEGIN: CUDA chose these names.
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

inline constexpr mlp::cuda_host::PlaceNumbers<
    &mlp::cuda_host::ThreadPlace::thread, uint3>
    threadIdx{};
inline constexpr mlp::cuda_host::PlaceNumbers<
    &mlp::cuda_host::ThreadPlace::block, uint3>
    blockIdx{};
inline constexpr mlp::cuda_host::PlaceNumbers<
    &mlp::cuda_host::ThreadPlace::block_size, dim3>
    blockDim{};
inline constexpr mlp::cuda_host::PlaceNumbers<
    &mlp::cuda_host::ThreadPlace::grid_size, dim3>
    gridDim{};

inline void __syncthreads(
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  mlp::cuda_host::wait_for_block(where);
}

/// Reads the lane that a function of the own lane names, inside segments of
/// width lanes.
template <typename Value>
Value __shfl_xor_sync(
    unsigned mask, Value value, int bits, int width = 32,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const unsigned lane = mlp::cuda_host::this_thread().lane;
  const auto size = static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(bits);
  const bool is_inside = source / size <= lane / size;
  return mlp::cuda_host::read_lane(mask, value, is_inside ? source : lane,
                                   where);
}
// NOLINTEND
