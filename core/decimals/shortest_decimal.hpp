// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers of usual size as shortest decimals, faster than by std::to_chars, with
// the same bytes.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decimal.hpp"

namespace mlp {

/// The most bytes of one number: -2.2250738585072014e-308.
inline constexpr std::size_t kMostDecimalBytes = 24;

/// Bytes that write_decimal() may change.
inline constexpr std::size_t kDecimalRoom = 32;

namespace detail {

/// digits * 10^-num_decimals
struct Decimal {
  std::uint64_t digits;
  unsigned num_decimals;
};

inline constexpr unsigned kFirstExactPower = 14;

/// 10^14 to 10^21, exact, the highest bit set.
constexpr std::array<HighBits, 8> make_exact_powers_of_10() {
  std::array<HighBits, 8> powers{};
  // 5^14, the other factor of 10^14 being a power of two.
  std::uint64_t power = 6'103'515'625;
  for (HighBits& bits : powers) {
    bits = {power << std::countl_zero(power), 0};
    power *= 5;
  }
  return powers;
}

inline constexpr auto kExactPowersOf10 = make_exact_powers_of_10();

/// Multiplies a number of 64 bits by a factor below 1. The lowest bit is set if
/// the product is rounded down.
inline std::uint64_t multiply_to_odd(std::uint64_t factor,
                                     std::uint64_t number) {
  const HighBits product = multiply_wide(factor, number);
  return product.high | std::uint64_t{product.low > 1};
}

/// Finds the shortest decimal that is read as this number, and of these the
/// closest one.
///
/// \param bits  of a number from 1e-4, below 10
/// \source Giulietti 2020, The Schubfach way to render doubles, section 9
inline Decimal find_shortest_decimal(std::uint64_t bits) {
  constexpr int kMantissaBits = 52;
  constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kMantissaBits;
  const int q = static_cast<int>(bits >> kMantissaBits & 0x7FF) - 1075;
  const std::uint64_t mantissa = bits & (kHiddenBit - 1);
  const std::uint64_t c = mantissa | kHiddenBit;
  // The number below a power of two is closer than the one above it.
  const std::uint64_t is_closer = mantissa == 0 ? 1 : 0;
  // 1262611 / 2^22 is log10(2), 524031 / 2^22 is log10(4 / 3), and
  // 1741647 / 2^19 is log2(10).
  const int k = (q * 1262611 - static_cast<int>(is_closer) * 524031) >> 22;
  const int h = q + ((-k * 1741647) >> 19) + 1;
  const auto num_decimals = static_cast<unsigned>(-k);
  const std::uint64_t power =
      kExactPowersOf10[num_decimals - kFirstExactPower].high;
  const std::uint64_t low =
      multiply_to_odd(power, (4 * c - 2 + is_closer) << h);
  const std::uint64_t value = multiply_to_odd(power, (4 * c) << h);
  const std::uint64_t high = multiply_to_odd(power, (4 * c + 2) << h);
  // The bounds are read as this number if its last bit is 0.
  const std::uint64_t is_odd = c & 1;
  const std::uint64_t least = low + is_odd;
  const std::uint64_t most = high - is_odd;
  const std::uint64_t s = value / 4;
  const std::uint64_t tens = s / 10;
  const bool is_below_inside = least <= 40 * tens;
  const bool is_above_inside = 40 * tens + 40 <= most;
  const bool is_floor_inside = least <= 4 * s;
  const bool is_ceiling_inside = 4 * s + 4 <= most;
  const std::uint64_t middle = 4 * s + 2;
  const bool is_rounded_up =
      value > middle || (value == middle && (s & 1) != 0);
  const bool is_up =
      is_floor_inside != is_ceiling_inside ? is_ceiling_inside : is_rounded_up;
  // No branch: whether 16 digits are enough is not predicted.
  const bool are_tens_enough = is_below_inside != is_above_inside;
  return {are_tens_enough ? tens + std::uint64_t{is_above_inside}
                          : s + std::uint64_t{is_up},
          num_decimals - unsigned{are_tens_enough}};
}

/// 10^0 to 10^16.
constexpr std::array<std::uint64_t, 17> make_powers_of_10() {
  std::array<std::uint64_t, 17> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i)
    powers[i] = 10 * powers[i - 1];
  return powers;
}

inline constexpr auto kZerosBehind = make_powers_of_10();

/// Writes 8 digits.
///
/// \param number  below 10^8
inline void write_8_digits(std::uint64_t number, char* to) {
  // Halves, quarters and eighths of the number, the first digit lowest.
  const std::uint64_t fours = number / 10000 | (number % 10000) << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007F;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000F;
  const std::uint64_t ones = tens | (twos - 10 * tens) << 8;
  const std::uint64_t text = ones | 0x3030303030303030;
  std::memcpy(to, &text, sizeof text);
}

}  // namespace detail

/// Writes a finite number as std::to_chars() does: the shortest text that reads
/// back as the same number.
///
/// \param to  [kDecimalRoom]; at most kMostDecimalBytes of it are text
/// \return the end of the text
inline char* write_decimal(double number, char* to) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kPart = 100'000'000;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto magnitude = std::bit_cast<double>(bits & ~kSign);
  // Smaller and larger ones may be shorter with an exponent.
  const bool is_usual = magnitude >= 1e-4 && magnitude < 10.0;
  if (!is_usual || std::endian::native != std::endian::little) {
    return std::to_chars(to, to + kMostDecimalBytes, number).ptr;
  }
  auto [digits, num_decimals] = detail::find_shortest_decimal(bits & ~kSign);
  while (digits % 10 == 0) {
    digits /= 10;
    --num_decimals;
  }
  if (digits < 10) {
    return std::to_chars(to, to + kMostDecimalBytes, number).ptr;
  }
  *to = '-';
  to += bits >> 63;
  // 17 digits, the first 8 bytes of "0.0000000" where zeros lead them.
  const unsigned num_written = std::max(num_decimals, 16u);
  digits *= detail::kZerosBehind[num_written - num_decimals];
  constexpr std::uint64_t kZeros = 0x3030303030302E30;
  std::memcpy(to, &kZeros, sizeof kZeros);
  const std::uint64_t high = digits / kPart;
  const unsigned first = num_written == 16 ? 0 : num_written - 15;
  to[first] = static_cast<char>('0' + high / kPart);
  detail::write_8_digits(high % kPart, to + num_written - 14);
  detail::write_8_digits(digits % kPart, to + num_written - 6);
  return to + 2 + num_decimals;
}

}  // namespace mlp
