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
#include "base64_blocks.hpp"

namespace mlp {

/// Length of the base64 text of num_numbers float64.
[[nodiscard]] constexpr std::uint64_t base64_size(std::uint64_t num_numbers) {
  return (8 * num_numbers + 2) / 3 * 4;
}

/// Encodes numbers as base64 of their little-endian float64 bytes, padded.
///
/// \param text  [base64_size(numbers.size())]
/// \source RFC 4648, section 4
inline void write_base64(const ConstVectorRef& numbers, char* text) {
  const auto num_numbers = static_cast<std::size_t>(numbers.size());
  const std::size_t num_blocks = num_numbers / detail::kBase64Numbers;
  detail::encode_base64_blocks(numbers.data(), num_blocks, text);
  const std::size_t num_whole = num_blocks * detail::kBase64Numbers;
  const std::size_t size = num_numbers - num_whole;
  if (size == 0) return;
  text += num_blocks * detail::kBase64NumbersDigits;
  std::array<double, detail::kBase64Numbers> last{};
  for (std::size_t i = 0; i < size; ++i) {
    last[i] = numbers[static_cast<Index>(num_whole + i)];
  }
  std::array<char, detail::kBase64NumbersDigits> digits;
  detail::encode_base64_plainly(last.data(), 1, digits.data());
  const std::size_t num_digits = (8 * 8 * size + 5) / 6;
  text = std::copy_n(digits.data(), num_digits, text);
  // 8 bytes lack one of 9, and 16 lack two of 18.
  std::fill_n(text, size, '=');
}

/// Encodes numbers as write_base64() does.
[[nodiscard]] inline std::string encode_base64(const ConstVectorRef& numbers) {
  const auto num_numbers = static_cast<std::uint64_t>(numbers.size());
  std::string text(base64_size(num_numbers), '=');
  write_base64(numbers, text.data());
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
  const std::size_t num_blocks = num_numbers / detail::kBase64Numbers;
  const std::size_t num_whole = num_blocks * detail::kBase64Numbers;
  if (!detail::decode_base64_blocks(text.data(), num_blocks, numbers.data())) {
    return std::nullopt;
  }
  text.remove_prefix(num_blocks * detail::kBase64NumbersDigits);
  detail::Base64Words words{};
  // Missing digits count as zero, so the unused bits must be 0.
  std::string rest(text);
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
