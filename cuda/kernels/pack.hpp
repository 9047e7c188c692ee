// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// How kernels read and write several neighbouring numbers at once. For .cu files
/// only.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../core/index.hpp"
#include "../runtime/device_code.hpp"
#include "number_types.hpp"

namespace mlp::cuda {

/// How many neighbouring numbers of the given types a thread reads or writes at once: 16
/// bytes of the largest type. That is the widest access of a thread, and a warp
/// then moves whole sectors of memory.
template <typename... Numbers>
inline constexpr int kPackWidth = 16 / std::max({sizeof(Numbers)...});

/// Neighbouring numbers of one column, in registers.
template <typename T, int kWidth>
struct Pack {
  T numbers[kWidth];

  __device__ T& operator[](int i) { return numbers[i]; }
  __device__ const T& operator[](int i) const { return numbers[i]; }
};

/// Promises the compiler that an address is aligned. The emulated device of the tests
/// checks it.
template <std::size_t kBytes, typename Void>
__device__ inline Void* assume_aligned(Void* address) {
#ifndef __CUDACC__
  cuda_host::check_alignment(address, kBytes);
#endif
  return __builtin_assume_aligned(address, kBytes);
}

/// Reads neighbouring numbers and converts them.
///
/// \param from  aligned to all of them
template <typename To, int kWidth, typename From>
__device__ inline Pack<To, kWidth> load_pack(const From* from) {
  constexpr std::size_t kBytes = kWidth * sizeof(From);
  Pack<From, kWidth> read;
  const void* const address = from;
  std::memcpy(read.numbers, assume_aligned<kBytes>(address), kBytes);
  Pack<To, kWidth> numbers;
  for (int i = 0; i < kWidth; ++i) numbers[i] = number_cast<To>(read[i]);
  return numbers;
}

/// Reads neighbouring stored numbers: a std::uint8_t times the scale, another type
/// as it is.
template <typename To, int kWidth, typename From>
__device__ inline Pack<To, kWidth> load_stored(const From* from, double scale) {
  if constexpr (std::is_same_v<From, std::uint8_t>) {
    auto numbers = load_pack<double, kWidth>(from);
    Pack<To, kWidth> scaled;
    for (int i = 0; i < kWidth; ++i) {
      scaled[i] = number_cast<To>(numbers[i] * scale);
    }
    return scaled;
  } else {
    return load_pack<To, kWidth>(from);
  }
}

/// Converts neighbouring numbers and writes them.
///
/// \param to  aligned to all of them
template <typename To, typename From, int kWidth>
__device__ inline void store_pack(const Pack<From, kWidth>& numbers, To* to) {
  constexpr std::size_t kBytes = kWidth * sizeof(To);
  Pack<To, kWidth> written;
  for (int i = 0; i < kWidth; ++i) written[i] = number_cast<To>(numbers[i]);
  void* const address = to;
  std::memcpy(assume_aligned<kBytes>(address), written.numbers, kBytes);
}

/// Returns true if packs of kWidth numbers at this address are aligned; true for null.
template <int kWidth, typename T>
[[nodiscard]] bool is_pack_aligned(const T* numbers) {
  return reinterpret_cast<std::uintptr_t>(numbers) % (kWidth * sizeof(T)) == 0;
}

/// Returns true if columns of so many units consist of aligned packs.
///
/// \param arrays  pointers to whole columns; null is allowed
template <int kWidth, typename... T>
[[nodiscard]] bool has_packs(Index units, const T*... arrays) {
  return units % kWidth == 0 && (is_pack_aligned<kWidth>(arrays) && ...);
}

/// The packs of a matrix [units x size] that belong to one thread, in a kernel
/// that strides over packs: each with its place, without a division for each.
template <int kWidth>
class PackWalk {
 public:
  /// \pre units % kWidth == 0
  __device__ PackWalk(Index units, Index size)
      : packs_(units / kWidth),
        end_(packs_ * size),
        stride_(element_stride()),
        pack_(first_element()),
        column_(pack_ / packs_) {
    row_ = pack_ - column_ * packs_;
    if (pack_ + stride_ >= end_) return;
    column_step_ = stride_ / packs_;
    row_step_ = stride_ - column_step_ * packs_;
  }

  [[nodiscard]] __device__ bool is_inside() const { return pack_ < end_; }

  /// The position of the first number.
  [[nodiscard]] __device__ Index first() const { return pack_ * kWidth; }

  /// The unit of the first number.
  [[nodiscard]] __device__ Index unit() const { return row_ * kWidth; }

  [[nodiscard]] __device__ Index column() const { return column_; }

  __device__ void advance() {
    pack_ += stride_;
    row_ += row_step_;
    column_ += column_step_;
    if (row_ < packs_) return;
    row_ -= packs_;
    ++column_;
  }

 private:
  Index packs_;  ///< of a column
  Index end_;
  Index stride_;
  Index pack_;
  Index column_;
  Index row_;  ///< in packs
  Index column_step_ = 0;
  Index row_step_ = 0;
};

}  // namespace mlp::cuda
