// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// Reads a plain decimal number such as -12.375, exactly rounded, several times
/// faster than std::from_chars; the longer ones are left to that.
///
/// An integer of at most 53 bits and a power of ten up to 10^22 are both exact,
/// so that their quotient is rounded once.
/// \param[out] value  the number, if there was one
/// \returns the first byte after it; nullptr if the text does not start with a
///          number, or with one of more than 19 digits or 53 bits
/// \source Clinger 1990, How to Read Floating Point Numbers Accurately, sec. 2
inline const char* read_short_decimal(const char* at, const char* end,
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

}  // namespace mlp::datasets::detail
