// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Weights as base64 text and back.

#include <algorithm>
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

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three numbers are 24 bytes or 32 digits, without padding.
inline constexpr std::size_t kBase64Numbers = 3;
inline constexpr std::size_t kBase64NumbersDigits = 32;

/// The bits of three numbers, in the order of their bytes: the first bit of the
/// first byte is the highest of the first word.
using Base64Words = std::array<std::uint64_t, kBase64Numbers>;

/// Eight groups of 24 bits: three bytes or four digits each.
using Base64Groups = std::array<std::uint32_t, 8>;

/// Bit 31 marks a character that is not a digit.
inline constexpr std::uint32_t kNoBase64Digit = std::uint32_t{1} << 31;

/// The bits that a character adds to a group, by its place in the group.
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

/// The same number with its bytes in the reverse order.
inline std::uint64_t reverse_bytes(std::uint64_t number) {
  return __builtin_bswap64(number);
}

/// \param digits  [kBase64NumbersDigits]
/// \return false if one is not a digit
inline bool decode_base64_digits(const char* digits, Base64Words& words) {
  Base64Groups g{};
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    for (std::size_t place = 0; place < 4; ++place) {
      const auto digit = static_cast<unsigned char>(digits[4 * i + place]);
      g[i] |= kBase64Values[place][digit];
    }
    all |= g[i];
  }
  const auto wide = [&](std::size_t i) { return std::uint64_t{g[i]}; };
  words[0] = wide(0) << 40 | wide(1) << 16 | wide(2) >> 8;
  words[1] = wide(2) << 56 | wide(3) << 32 | wide(4) << 8 | wide(5) >> 16;
  words[2] = wide(5) << 48 | wide(6) << 24 | wide(7);
  return (all & kNoBase64Digit) == 0;
}

/// \param digits  [kBase64NumbersDigits]
inline void encode_base64_digits(const Base64Words& words, char* digits) {
  const auto [a, b, c] = words;
  const std::array<std::uint64_t, 8> groups{a >> 40, a >> 16, a << 8 | b >> 56,
                                            b >> 32, b >> 8,  b << 16 | c >> 48,
                                            c >> 24, c};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t place = 0; place < 4; ++place) {
      digits[4 * i + place] = kBase64Digits[groups[i] >> (18 - 6 * place) & 63];
    }
  }
}

}  // namespace detail

/// Length of the base64 text of num_numbers float64.
[[nodiscard]] constexpr std::uint64_t base64_size(std::uint64_t num_numbers) {
  return (8 * num_numbers + 2) / 3 * 4;
}

/// Appends numbers as base64 of their little-endian float64 bytes, padded.
///
/// \source RFC 4648, section 4
inline void append_base64(std::string& text, const ConstVectorRef& numbers) {
  const auto num_numbers = static_cast<std::size_t>(numbers.size());
  text.reserve(text.size() + base64_size(num_numbers));
  for (std::size_t first = 0; first < num_numbers;
       first += detail::kBase64Numbers) {
    const std::size_t size =
        std::min(num_numbers - first, detail::kBase64Numbers);
    detail::Base64Words words{};
    for (std::size_t i = 0; i < size; ++i) {
      words[i] = detail::reverse_bytes(
          std::bit_cast<std::uint64_t>(numbers[static_cast<Index>(first + i)]));
    }
    std::array<char, detail::kBase64NumbersDigits> digits;
    detail::encode_base64_digits(words, digits.data());
    text.append(digits.data(), (8 * 8 * size + 5) / 6);
    // 8 bytes lack one of 9, and 16 lack two of 18.
    if (size < detail::kBase64Numbers) text.append(size, '=');
  }
}

/// Encodes numbers as append_base64() does.
[[nodiscard]] inline std::string encode_base64(const ConstVectorRef& numbers) {
  std::string text;
  append_base64(text, numbers);
  return text;
}

/// Decodes the text of encode_base64().
///
/// \return nothing for any other character, including white space, for missing
///         or extra padding, for unused bits that are not 0, and if the bytes
///         are not a whole number of float64
/// \cost   allocates for as many numbers as the text holds
[[nodiscard]] inline std::optional<Vector> decode_base64(
    std::string_view text) {
  const std::size_t num_numbers = text.size() / 4 * 3 / 8;
  if (text.size() != base64_size(num_numbers)) return std::nullopt;
  const std::size_t num_padding = (3 - 8 * num_numbers % 3) % 3;
  const std::string_view padding = text.substr(text.size() - num_padding);
  if (padding.find_first_not_of('=') != padding.npos) return std::nullopt;
  text.remove_suffix(num_padding);
  Vector numbers(static_cast<Index>(num_numbers));
  advise_huge_pages(numbers.data(), num_numbers * sizeof(double));
  const std::size_t num_whole = num_numbers / 3 * 3;
  const char* digits = text.data();
  detail::Base64Words words{};
  for (std::size_t first = 0; first < num_whole; first += words.size()) {
    if (!detail::decode_base64_digits(digits, words)) return std::nullopt;
    for (std::size_t i = 0; i < words.size(); ++i) {
      numbers[static_cast<Index>(first + i)] =
          std::bit_cast<double>(detail::reverse_bytes(words[i]));
    }
    digits += detail::kBase64NumbersDigits;
  }
  // Missing digits count as zero, so the unused bits must be 0.
  std::string rest(digits, text.data() + text.size());
  rest.resize(detail::kBase64NumbersDigits, detail::kBase64Digits[0]);
  if (!detail::decode_base64_digits(rest.data(), words)) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (num_whole + i < num_numbers) {
      numbers[static_cast<Index>(num_whole + i)] =
          std::bit_cast<double>(detail::reverse_bytes(words[i]));
    } else if (words[i] != 0) {
      return std::nullopt;
    }
  }
  return numbers;
}

}  // namespace mlp
