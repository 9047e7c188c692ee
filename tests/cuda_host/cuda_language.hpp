// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The words of CUDA C++ that kernels use, for a compiler that does not know
/// them. Kernels are compiled with this header in front.

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

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
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__

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

inline constexpr int warpSize = 32;

inline void __syncthreads(
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  mlp::cuda_host::wait_for_block(where);
}

inline void __syncwarp(
    unsigned mask = 0xffffffffU,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  static_cast<void>(mlp::cuda_host::read_lane(mask, 0, 32, where));
}

/// Reads the lane that a function of the own lane names, inside segments of
/// width lanes.
template <typename Value>
Value __shfl_sync(
    unsigned mask, Value value, int source, int width = warpSize,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const unsigned lane = mlp::cuda_host::this_thread().lane;
  const auto size = static_cast<unsigned>(width);
  const unsigned first = lane / size * size;
  return mlp::cuda_host::read_lane(
      mask, value, first + static_cast<unsigned>(source) % size, where);
}

template <typename Value>
Value __shfl_down_sync(
    unsigned mask, Value value, unsigned distance, int width = warpSize,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const unsigned lane = mlp::cuda_host::this_thread().lane;
  const auto size = static_cast<unsigned>(width);
  const bool is_inside = lane % size + distance < size;
  return mlp::cuda_host::read_lane(mask, value,
                                   is_inside ? lane + distance : lane, where);
}

template <typename Value>
Value __shfl_up_sync(
    unsigned mask, Value value, unsigned distance, int width = warpSize,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const unsigned lane = mlp::cuda_host::this_thread().lane;
  const bool is_inside = lane % static_cast<unsigned>(width) >= distance;
  return mlp::cuda_host::read_lane(mask, value,
                                   is_inside ? lane - distance : lane, where);
}

template <typename Value>
Value __shfl_xor_sync(
    unsigned mask, Value value, int bits, int width = warpSize,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const unsigned lane = mlp::cuda_host::this_thread().lane;
  const auto size = static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(bits);
  const bool is_inside = source / size <= lane / size;
  return mlp::cuda_host::read_lane(mask, value, is_inside ? source : lane,
                                   where);
}

inline unsigned __ballot_sync(
    unsigned mask, int is_true,
    mlp::cuda_host::CodePlace where = mlp::cuda_host::CodePlace::current()) {
  const mlp::cuda_host::WarpBytes& values =
      mlp::cuda_host::exchange_bytes(mask, &is_true, sizeof is_true, where);
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int value = 0;
    std::memcpy(&value, values[lane].data(), sizeof value);
    if ((mask >> lane & 1U) != 0 && value != 0) lanes |= 1U << lane;
  }
  return lanes;
}

// Only one thread runs at a time, so that every operation is atomic.

template <typename Value>
Value atomicAdd(Value* address, Value value) {
  return std::exchange(*address, *address + value);
}

template <typename Value>
Value atomicExch(Value* address, Value value) {
  return std::exchange(*address, value);
}

template <typename Value>
Value atomicMax(Value* address, Value value) {
  return std::exchange(*address, *address < value ? value : *address);
}

template <typename Value>
Value atomicCAS(Value* address, Value expected, Value value) {
  const Value before = *address;
  if (before == expected) *address = value;
  return before;
}

inline void __threadfence() {}
inline void __threadfence_block() {}

template <typename Value>
Value __ldg(const Value* address) {
  return *address;
}

inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}
inline long long __double_as_longlong(double number) {
  return std::bit_cast<long long>(number);
}
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline int __float_as_int(float number) { return std::bit_cast<int>(number); }
// NOLINTEND
