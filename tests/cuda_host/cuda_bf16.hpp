// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// NOLINTBEGIN: CUDA chose these names.

/// A number of 16 bits with the exponent of a float.
struct __nv_bfloat16 {
  std::uint16_t bits;
};

/// Rounds to the nearest number, ties to even.
inline __nv_bfloat16 __float2bfloat16(float number) {
  if (std::isnan(number)) return {0x7fff};
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t odd = bits >> 16 & 1U;
  return {static_cast<std::uint16_t>((bits + 0x7fffU + odd) >> 16)};
}

inline float __bfloat162float(__nv_bfloat16 number) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(number.bits) << 16);
}

// NOLINTEND
