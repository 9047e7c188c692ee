// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../core/error.hpp"

/// Text files of other encodings and line ends than UTF-8 with LF.
namespace mlp::datasets::detail {

/// The encoding of a text, by its first bytes.
enum class TextEncoding { kUtf8, kUtf16Little, kUtf16Big };

/// Finds UTF-16 by its byte order mark or, without one, by the zero bytes of its
/// first two characters. Everything else is taken for UTF-8.
[[nodiscard]] inline TextEncoding find_encoding(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\xFF\xFE") return TextEncoding::kUtf16Little;
  if (bytes.substr(0, 2) == "\xFE\xFF") return TextEncoding::kUtf16Big;
  if (bytes.size() < 4) return TextEncoding::kUtf8;
  const auto is_zero = [&](std::size_t at) { return bytes[at] == '\0'; };
  if (!is_zero(0) && is_zero(1) && !is_zero(2) && is_zero(3)) {
    return TextEncoding::kUtf16Little;
  }
  if (is_zero(0) && !is_zero(1) && is_zero(2) && !is_zero(3)) {
    return TextEncoding::kUtf16Big;
  }
  return TextEncoding::kUtf8;
}

/// Appends a character in UTF-8.
///
/// \param code  at most 0x10FFFF
inline void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](std::uint32_t bits) { add(0x80 | (bits & 0x3F)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add_rest(code >> 6);
  } else {
    add(0xF0 | code >> 18);
    add_rest(code >> 12);
    add_rest(code >> 6);
  }
  add_rest(code);
}

/// Converts UTF-16 to UTF-8. The byte order mark is left out.
///
/// \param first_byte  where the bytes begin in their file; even
/// \throws DataError naming the byte at which the text is not UTF-16
[[nodiscard]] inline std::string utf8_of_utf16(std::string_view bytes,
                                               bool is_little,
                                               const std::string& source,
                                               std::uint64_t first_byte = 0) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return is_little ? static_cast<std::uint32_t>(second << 8 | first)
                     : static_cast<std::uint32_t>(first << 8 | second);
  };
  const auto is_in = [](std::uint32_t code, std::uint32_t first) {
    return code >= first && code < first + 0x400;
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  const std::size_t size = bytes.size() - bytes.size() % 2;
  for (std::size_t at = 0; at < size; at += 2) {
    std::uint32_t code = unit(at);
    const bool is_mark = at + first_byte == 0 && code == 0xFEFF;
    if (is_mark) continue;
    const bool has_pair =
        is_in(code, 0xD800) && at + 4 <= size && is_in(unit(at + 2), 0xDC00);
    if (has_pair) {
      code = 0x10000 + (code - 0xD800) * 0x400 + unit(at + 2) - 0xDC00;
      at += 2;
    } else if (is_in(code, 0xD800) || is_in(code, 0xDC00)) {
      throw DataError(source, "is not UTF-16 at byte " +
                                  std::to_string(at + first_byte) +
                                  "; expected UTF-8 or UTF-16; convert the "
                                  "file with iconv");
    }
    append_utf8(text, code);
  }
  if (size == bytes.size()) return text;
  throw DataError(source, "is UTF-16, but has an odd number of bytes, " +
                              std::to_string(bytes.size() + first_byte) +
                              "; expected two for each character; the file is "
                              "probably cut off");
}

/// Returns true if lines end with CR alone, as on classic Mac OS.
[[nodiscard]] inline bool has_bare_cr_lines(std::string_view text) {
  const auto contains = [&](char byte) {
    return std::memchr(text.data(), byte, text.size()) != nullptr;
  };
  return !text.empty() && !contains('\n') && contains('\r');
}

/// Converts a text to UTF-8 whose lines end with LF or CRLF. Nothing is copied if
/// the text already is.
///
/// \throws the errors of utf8_of_utf16()
inline void decode_text(std::string& bytes, const std::string& source) {
  const TextEncoding encoding = find_encoding(bytes);
  if (encoding != TextEncoding::kUtf8) {
    bytes =
        utf8_of_utf16(bytes, encoding == TextEncoding::kUtf16Little, source);
  }
  if (has_bare_cr_lines(bytes)) {
    std::replace(bytes.begin(), bytes.end(), '\r', '\n');
  }
}

}  // namespace mlp::datasets::detail
