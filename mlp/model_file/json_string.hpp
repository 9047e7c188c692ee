// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

/// The number of bytes of the UTF-8 character at the start; 0 where there is
/// none.
inline std::size_t utf8_character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.empty()) return 0;
  for (const Utf8Form& form : kUtf8Forms) {
    if (byte(0) < form.first_low || byte(0) > form.first_high) continue;
    if (form.num_bytes == 1) return 1;
    if (text.size() < form.num_bytes) return 0;
    bool is_valid = byte(1) >= form.second_low && byte(1) <= form.second_high;
    for (std::size_t i = 2; i < form.num_bytes; ++i) {
      is_valid = is_valid && (byte(i) & 0xC0u) == 0x80u;
    }
    return is_valid ? form.num_bytes : 0;
  }
  return 0;
}

}  // namespace detail

/// True where every byte belongs to a well-formed UTF-8 character.
[[nodiscard]] inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t num_bytes = detail::utf8_character_bytes(text);
    if (num_bytes == 0) return false;
    text.remove_prefix(num_bytes);
  }
  return true;
}

/// Appends text as a JSON string with its quotes. Quotes, backslashes and
/// control characters are escaped; everything else stands as it is.
///
/// \pre    is_utf8(text)
/// \source RFC 8259, section 7
inline void append_json_string(std::string& json, std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  constexpr std::string_view kShortEscapes = "\"\"\\\\\bb\ff\nn\rr\tt";
  json += '"';
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code >= 0x20 && code != '"' && code != '\\' && code != 0x7F) {
      json += character;
      continue;
    }
    std::size_t at = 0;
    while (at < kShortEscapes.size() && kShortEscapes[at] != character) at += 2;
    if (at < kShortEscapes.size()) {
      json += '\\';
      json += kShortEscapes[at + 1];
    } else {
      json += "\\u00";
      json += kDigits[code >> 4];
      json += kDigits[code & 15];
    }
  }
  json += '"';
}

/// Text of a file as a message shows it: a JSON string on one line, at most 40
/// bytes of it.
[[nodiscard]] inline std::string shown_json_string(std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  std::string shown;
  std::size_t taken = 0;
  while (taken < text.size()) {
    const std::size_t num_bytes =
        detail::utf8_character_bytes(text.substr(taken));
    if (num_bytes == 0 || taken + num_bytes > kMaxBytes) break;
    taken += num_bytes;
  }
  append_json_string(shown, text.substr(0, taken));
  return taken < text.size() ? shown + "..." : shown;
}

}  // namespace mlp
