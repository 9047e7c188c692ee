// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/types.hpp"

namespace mlp {

namespace detail {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of a base64 digit; nothing for any other character.
inline std::optional<std::uint32_t> base64_value(char digit) {
  const std::size_t at = kBase64Digits.find(digit);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

}  // namespace detail

/// Length of the base64 text of num_numbers float64.
[[nodiscard]] constexpr std::uint64_t base64_size(std::uint64_t num_numbers) {
  return (8 * num_numbers + 2) / 3 * 4;
}

/// Encodes numbers as base64 of their little-endian float64 bytes, padded.
///
/// \source RFC 4648, section 4
[[nodiscard]] inline std::string encode_base64(const ConstVectorRef& numbers) {
  std::string text;
  std::uint32_t bits = 0;
  int num_bits = 0;
  for (Index i = 0; i < numbers.size(); ++i) {
    const auto number = std::bit_cast<std::uint64_t>(numbers[i]);
    for (int shift = 0; shift < 64; shift += 8) {
      bits = (bits << 8 | static_cast<std::uint32_t>(number >> shift & 0xFF)) &
             0xFFFF;
      for (num_bits += 8; num_bits >= 6; num_bits -= 6) {
        text += detail::kBase64Digits[bits >> (num_bits - 6) & 63];
      }
    }
  }
  if (num_bits > 0) text += detail::kBase64Digits[bits << (6 - num_bits) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

/// Decodes what encode_base64() gives.
///
/// \return nothing for any other character, white space included, for missing
///         or extra padding, for bits that no byte takes, and where the bytes
///         are not a whole number of float64
/// \cost   allocates for as many numbers as the text holds
[[nodiscard]] inline std::optional<std::vector<double>> decode_base64(
    std::string_view text) {
  const std::size_t num_numbers = text.size() / 4 * 3 / 8;
  if (text.size() != base64_size(num_numbers)) return std::nullopt;
  const std::size_t num_padding = (3 - 8 * num_numbers % 3) % 3;
  std::vector<double> numbers;
  numbers.reserve(num_numbers);
  std::uint64_t number = 0;
  std::uint32_t bits = 0;
  int num_bits = 0;
  int shift = 0;
  for (const char digit : text.substr(0, text.size() - num_padding)) {
    const auto value = detail::base64_value(digit);
    if (!value) return std::nullopt;
    bits = (bits << 6 | *value) & 0xFFFF;
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    number |= static_cast<std::uint64_t>(bits >> num_bits & 0xFF) << shift;
    shift = (shift + 8) % 64;
    if (shift != 0) continue;
    numbers.push_back(std::bit_cast<double>(number));
    number = 0;
  }
  const bool is_padded =
      text.substr(text.size() - num_padding) == std::string(num_padding, '=');
  const std::uint32_t rest = bits & ((1u << num_bits) - 1);
  if (!is_padded || rest != 0) return std::nullopt;
  return numbers;
}

}  // namespace mlp
