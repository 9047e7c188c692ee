// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Weights as base64 text and back.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/memory/huge_pages.hpp"
#include "../../core/types.hpp"

namespace mlp {

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "base64 text contains the bytes of little-endian float64");

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Marks a character that is not a digit.
inline constexpr std::uint32_t kNoBase64Digit = std::uint32_t{1} << 31;

/// The bits that a character adds to a group of 24 bits, by its place in the
/// group.
using Base64Values = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr Base64Values make_base64_values() {
  Base64Values values{};
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::uint32_t& value : values[place]) value = kNoBase64Digit;
    for (std::size_t i = 0; i < kBase64Digits.size(); ++i) {
      const auto digit = static_cast<unsigned char>(kBase64Digits[i]);
      values[place][digit] = static_cast<std::uint32_t>(i << (18 - 6 * place));
    }
  }
  return values;
}

inline constexpr Base64Values kBase64Values = make_base64_values();

/// Returns the 24 bits of four digits; kNoBase64Digit is set if one is not a digit.
inline std::uint32_t decode_base64_group(const char* digits) {
  std::uint32_t group = 0;
  for (std::size_t place = 0; place < 4; ++place) {
    group |= kBase64Values[place][static_cast<unsigned char>(digits[place])];
  }
  return group;
}

/// Writes the four digits of 24 bits.
inline void encode_base64_group(std::uint32_t group, char* digits) {
  for (std::size_t place = 0; place < 4; ++place) {
    digits[place] = kBase64Digits[group >> (18 - 6 * place) & 63];
  }
}

}  // namespace detail

/// Length of the base64 text of num_numbers float64.
[[nodiscard]] constexpr std::size_t base64_size(std::size_t num_numbers) {
  return (8 * num_numbers + 2) / 3 * 4;
}

/// Appends the base64 text of the little-endian float64 bytes of numbers, padded.
///
/// \source RFC 4648, section 4
inline void append_base64(std::string& text, const Vector& numbers) {
  const auto num_numbers = static_cast<std::size_t>(numbers.size());
  const auto* from = reinterpret_cast<const unsigned char*>(numbers.data());
  const auto byte = [&](std::size_t i) { return std::uint32_t{from[i]}; };
  const std::size_t old_size = text.size();
  text.resize(old_size + base64_size(num_numbers), '=');
  char* to = text.data() + old_size;
  std::size_t rest = 8 * num_numbers;
  for (; rest >= 3; rest -= 3, from += 3, to += 4) {
    detail::encode_base64_group(byte(0) << 16 | byte(1) << 8 | byte(2), to);
  }
  if (rest == 0) return;
  const std::uint32_t second = rest == 2 ? byte(1) << 8 : 0;
  detail::encode_base64_group(byte(0) << 16 | second, to);
  for (; rest < 3; ++rest) text[text.size() + rest - 3] = '=';
}

/// Decodes the text of append_base64().
///
/// \return nothing for any other character, including white space, for missing
///         or extra padding, for unused bits that are not 0, and if the bytes
///         are not a whole number of float64
/// \cost   allocates for as many numbers as the text holds
[[nodiscard]] inline std::optional<Vector> decode_base64(
    std::string_view text) {
  const std::size_t num_numbers = text.size() / 4 * 3 / 8;
  if (text.size() != base64_size(num_numbers)) return std::nullopt;
  Vector numbers(static_cast<Index>(num_numbers));
  advise_huge_pages(numbers.data(), num_numbers * sizeof(double));
  auto* to = reinterpret_cast<unsigned char*>(numbers.data());
  std::size_t rest = 8 * num_numbers;
  std::uint32_t all = 0;
  for (; rest >= 3; rest -= 3, text.remove_prefix(4)) {
    const std::uint32_t group = detail::decode_base64_group(text.data());
    all |= group;
    *to++ = static_cast<unsigned char>(group >> 16);
    *to++ = static_cast<unsigned char>(group >> 8);
    *to++ = static_cast<unsigned char>(group);
  }
  if (rest > 0) {
    if (text.substr(rest + 1) != std::string_view("==").substr(rest - 1)) {
      return std::nullopt;
    }
    // Missing digits count as zero, so the unused bits must be 0.
    std::string digits(text.substr(0, rest + 1));
    digits.resize(4, detail::kBase64Digits[0]);
    const std::uint32_t group = detail::decode_base64_group(digits.data());
    all |= group;
    if ((group & (0xFFFFu >> (8 * (rest - 1)))) != 0) return std::nullopt;
    for (std::size_t i = 0; i < rest; ++i) {
      *to++ = static_cast<unsigned char>(group >> (16 - 8 * i));
    }
  }
  if ((all & detail::kNoBase64Digit) != 0) return std::nullopt;
  return numbers;
}

}  // namespace mlp
