// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts eight decimal digits at once.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mlp::datasets::detail {

/// Loads 8 bytes, the first one as the lowest byte of the number.
inline std::uint64_t load_8_bytes(const char* at) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, at, sizeof word);
  } else {
    for (unsigned i = 0; i < 8; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
  }
  return word;
}

/// Tells which of the 16 bytes at an address are no decimal digits: bit i
/// stands for byte i.
inline unsigned find_non_digits(const char* at) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  // The digits become the ten least signed numbers.
  const __m128i shifted =
      _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - '0')));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_cmpgt_epi8(shifted, _mm_set1_epi8(-128 + 9))));
#else
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned digit = static_cast<unsigned char>(at[i]) - unsigned{'0'};
    mask |= static_cast<unsigned>(digit > 9) << i;
  }
  return mask;
#endif
}

/// The number that the count lowest bytes of a word spell, the lowest one first;
/// 0 if count is 0.
///
/// Neighbours are added pairwise, so that 8 digits take 3 steps.
/// \pre count <= 8; the count lowest bytes are digits
inline std::uint64_t word_value(std::uint64_t word, unsigned count) {
  // The digits move to the upper end, zeros lead them; in two steps, because a
  // shift by 64 bits is none.
  const unsigned half = 4 * (8 - count);
  std::uint64_t lanes = (word ^ 0x3030303030303030) << half << half;
  lanes = (lanes * 10 + (lanes >> 8)) & 0x00FF00FF00FF00FF;
  lanes = (lanes * 100 + (lanes >> 16)) & 0x0000FFFF0000FFFF;
  return (lanes * 10000 + (lanes >> 32)) & 0x00000000FFFFFFFF;
}

/// The number that digits with one byte among them, the point, spell.
///
/// \param num_whole  the digits before the point
/// \param count      all digits
/// \pre 9 bytes can be read there; num_whole <= count <= 8
inline std::uint64_t digits_value_around_point(const char* at,
                                               unsigned num_whole,
                                               unsigned count) {
  const std::uint64_t behind = ~std::uint64_t{0} << 4 * num_whole
                                                 << 4 * num_whole;
  const std::uint64_t word =
      (load_8_bytes(at) & ~behind) | (load_8_bytes(at + 1) & behind);
  return word_value(word, count);
}

/// 10^n as an integer.
inline constexpr std::array<std::uint64_t, 9> kIntegerPowersOf10 = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Appends the digits at an address to a number.
///
/// \pre 16 bytes can be read there, 8 if count <= 8; count <= 16; the first
///      count are digits; the result has less than 64 bits
inline std::uint64_t append_digits(std::uint64_t number, const char* at,
                                   unsigned count) {
  if (count > 8) {
    number = number * kIntegerPowersOf10[8] + word_value(load_8_bytes(at), 8);
    at += 8;
    count -= 8;
  }
  return number * kIntegerPowersOf10[count] +
         word_value(load_8_bytes(at), count);
}

}  // namespace mlp::datasets::detail
