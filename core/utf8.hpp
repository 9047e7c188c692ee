// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Checks UTF-8, measures its characters, and makes texts harmless for a terminal.
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

/// True for a byte that is a character alone. The sign of char, which tells it on x86-64,
/// is another on aarch64.
[[nodiscard]] inline bool is_ascii_byte(char byte) {
  return static_cast<unsigned char>(byte) < 0x80u;
}

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

namespace detail {

/// Returns the code point of a well-formed UTF-8 character.
inline unsigned code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  unsigned code = first & (0x7Fu >> character.size());
  for (const char byte : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3Fu);
  }
  return code;
}

/// Returns true for characters that control a terminal or the direction of a text.
///
/// \source Unicode 15, chapters 23.1 and 23.2; UAX #9, section 2
inline bool is_control(unsigned code) {
  const bool is_c0_or_c1 = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  return is_c0_or_c1 || is_line_end || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

inline void append_escape(std::string& text, unsigned code, bool is_byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text += is_byte ? "\\x" : "\\u";
  for (int shift = is_byte ? 4 : 12; shift >= 0; shift -= 4) {
    text += kDigits[(code >> shift) & 0xFu];
  }
}

}  // namespace detail

/// Returns a text on one line, without power over the terminal that shows it.
///
/// Control characters, those of the direction of a text too, are written as \x1b or
/// \u202e, and bytes that are not UTF-8 as \xe9. All others are copied.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(text);
    const std::string_view character =
        text.substr(0, std::max<std::size_t>(size, 1));
    const unsigned code = size == 0 ? static_cast<unsigned char>(text.front())
                                    : detail::code_point(character);
    if (size == 0 || detail::is_control(code)) {
      detail::append_escape(shown, code, size <= 1);
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace mlp
