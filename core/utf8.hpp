// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Checks UTF-8 and measures its characters.
namespace mlp {

namespace detail {

/// The byte ranges of one kind of UTF-8 character: first byte, second byte, and
/// its length. Further bytes are 80..BF.
struct Utf8Form {
  std::uint8_t first_low, first_high, second_low, second_high, num_bytes;
};

/// \source Unicode 15, table 3-7, well-formed UTF-8 byte sequences
inline constexpr Utf8Form kUtf8Forms[] = {
    {0x00, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4}};

}  // namespace detail

/// True for a byte that continues a UTF-8 character.
[[nodiscard]] inline bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

/// Returns the number of bytes of the UTF-8 character at the start of a text; 0
/// if there is none.
[[nodiscard]] inline std::size_t utf8_character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.empty()) return 0;
  for (const detail::Utf8Form& form : detail::kUtf8Forms) {
    if (byte(0) < form.first_low || byte(0) > form.first_high) continue;
    if (form.num_bytes == 1) return 1;
    if (text.size() < form.num_bytes) return 0;
    bool is_valid = byte(1) >= form.second_low && byte(1) <= form.second_high;
    for (std::size_t i = 2; i < form.num_bytes; ++i) {
      is_valid = is_valid && is_utf8_continuation(text[i]);
    }
    return is_valid ? form.num_bytes : 0;
  }
  return 0;
}

/// Returns the longest part of a text, from its start, that is well-formed UTF-8.
[[nodiscard]] inline std::string_view utf8_prefix(std::string_view text) {
  std::size_t size = 0;
  while (const std::size_t num_bytes =
             utf8_character_bytes(text.substr(size))) {
    size += num_bytes;
  }
  return text.substr(0, size);
}

/// True if every byte belongs to a well-formed UTF-8 character.
[[nodiscard]] inline bool is_utf8(std::string_view text) {
  return utf8_prefix(text).size() == text.size();
}

}  // namespace mlp
