// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The decimals of Arrow tables as texts.
namespace mlp::datasets::detail {

/// Returns the digits of an integer of any size, with '-' before those of a negative one.
///
/// \param integer  two's complement, the lowest byte first   [at least 1]
inline std::string integer_digits(std::span<const std::uint8_t> integer) {
  std::vector<std::uint8_t> bytes(integer.begin(), integer.end());
  const bool is_negative = bytes.back() >= 0x80;
  if (is_negative) {
    unsigned carry = 1;
    for (std::uint8_t& byte : bytes) {
      carry += static_cast<std::uint8_t>(~byte);
      byte = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
  }
  std::string digits;
  do {
    unsigned rest = 0;  // of the division by 10
    for (std::size_t i = bytes.size(); i-- > 0;) {
      rest = rest << 8 | bytes[i];
      bytes[i] = static_cast<std::uint8_t>(rest / 10);
      rest %= 10;
    }
    digits += static_cast<char>('0' + rest);
    while (!bytes.empty() && bytes.back() == 0) bytes.pop_back();
  } while (!bytes.empty());
  if (is_negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// Appends a decimal number.
///
/// \param integer  as for integer_digits()
/// \param scale    how many of its digits are decimals; negative for zeros at the end
inline void append_decimal(std::string& text,
                           std::span<const std::uint8_t> integer, int scale) {
  std::string digits = integer_digits(integer);
  if (digits.front() == '-') {
    text += '-';
    digits.erase(0, 1);
  }
  if (scale <= 0) {
    text += digits;
    if (digits != "0") text.append(static_cast<std::size_t>(-scale), '0');
    return;
  }
  const auto size = static_cast<std::size_t>(scale);
  if (digits.size() <= size) digits.insert(0, size + 1 - digits.size(), '0');
  text.append(digits, 0, digits.size() - size).append(1, '.');
  text.append(digits, digits.size() - size, size);
}

}  // namespace mlp::datasets::detail
