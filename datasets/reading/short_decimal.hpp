// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads short decimal numbers faster than std::from_chars, with the same
// bits.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "digits.hpp"

namespace mlp::datasets::detail {

/// 10^n, exact in float64 up to n = 22.
inline constexpr std::array<double, 23> kPowersOf10 = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Appends decimal digits to a number that may wrap around.
/// \returns the first byte that is no digit
inline const char* read_digits(const char* at, const char* end,
                               std::uint64_t& number) {
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  return at;
}

/// Reads a plain decimal number byte by byte, as read_short_decimal() does.
inline const char* read_decimal_bytewise(const char* at, const char* end,
                                         double& value) {
  const bool is_negative = at != end && *at == '-';
  const char* const first = at + is_negative;
  std::uint64_t digits = 0;
  const char* next = read_digits(first, end, digits);
  std::ptrdiff_t num_digits = next - first;
  std::ptrdiff_t num_decimals = 0;
  if (next != end && *next == '.') {
    const char* const decimals = next + 1;
    next = read_digits(decimals, end, digits);
    num_decimals = next - decimals;
    num_digits += num_decimals;
  }
  // 19 digits cannot have wrapped around.
  if (num_digits == 0 || num_digits > 19) return nullptr;
  if (digits > (std::uint64_t{1} << 53)) return nullptr;
  double magnitude = static_cast<double>(digits);
  if (num_decimals != 0) {
    magnitude /= kPowersOf10[static_cast<std::size_t>(num_decimals)];
  }
  value = is_negative ? -magnitude : magnitude;
  return next;
}

/// Bytes that read_decimal_at_once() may look at.
inline constexpr std::ptrdiff_t kDecimalWindow = 24;

/// Reads a plain decimal number of at most 15 bytes, as read_short_decimal()
/// does, but without a loop over its digits.
///
/// \pre    kDecimalWindow bytes can be read
/// \returns nullptr also for a longer number
inline const char* read_decimal_at_once(const char* at, double& value) {
  // The sign is taken out of the window, rather than the window moved behind
  // it: where the next number starts is known sooner.
  const unsigned is_negative = *at == '-';
  unsigned stops = find_non_digits(at) & ~is_negative;
  if (stops == 0) return nullptr;
  const char* next = at + std::countr_zero(stops);
  const char* const first = at + is_negative;
  const auto num_whole = static_cast<unsigned>(next - first);
  unsigned num_decimals = 0;
  if (*next == '.') {
    stops &= stops - 1;
    if (stops == 0) return nullptr;
    next = at + std::countr_zero(stops);
    num_decimals = static_cast<unsigned>(next - first) - num_whole - 1;
  }
  const unsigned num_digits = num_whole + num_decimals;
  if (num_digits == 0) return nullptr;
  std::uint64_t digits = 0;
  if (num_digits <= 8) {
    digits = digits_value_around_point(first, num_whole, num_digits);
  } else {
    digits = append_digits(0, first, num_whole);
    digits = append_digits(digits, first + num_whole + 1, num_decimals);
  }
  // 15 digits fit into 53 bits, and signed numbers convert faster.
  double magnitude = static_cast<double>(static_cast<std::int64_t>(digits));
  if (num_decimals != 0) magnitude /= kPowersOf10[num_decimals];
  const std::uint64_t sign = std::uint64_t{is_negative} << 63;
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);
  return next;
}

/// Reads a plain decimal number such as -12.375, exactly rounded, several times
/// faster than std::from_chars; the longer ones are left to that.
///
/// An integer of at most 53 bits and a power of ten up to 10^22 are both exact,
/// so that their quotient is rounded once.
/// \param[out] value  the number, if there was one
/// \returns the first byte after it; nullptr if the text does not start with a
///          number, or with one of more than 19 digits or 53 bits; it may be
///          nullptr for one of more than 15 bytes
/// \source Clinger 1990, How to Read Floating Point Numbers Accurately, sec. 2
inline const char* read_short_decimal(const char* at, const char* end,
                                      double& value) {
  if (end - at < kDecimalWindow) return read_decimal_bytewise(at, end, value);
  return read_decimal_at_once(at, value);
}

/// Reads a finite decimal number of any length.
///
/// \param[out] value  the number, if there was one
/// \returns the first byte after it; nullptr if the text does not start with a
///          number that float64 holds
inline const char* read_long_decimal(const char* at, const char* end,
                                     double& value) {
  const auto read = std::from_chars(at, end, value);
  const bool is_number = read.ec == std::errc{} && std::isfinite(value);
  return is_number ? read.ptr : nullptr;
}

}  // namespace mlp::datasets::detail
