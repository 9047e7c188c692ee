// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// How stored numbers become operands. For .cu files only.

#include <cstdint>
#include <type_traits>

#include "number_types.hpp"
#include "pack.hpp"

namespace mlp::cuda {

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

}  // namespace mlp::cuda
