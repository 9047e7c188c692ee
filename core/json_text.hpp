// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace mlp {

/// Appends text as a JSON string with its quotes. Quotes, backslashes and
/// control characters are escaped; a byte that is not UTF-8 becomes U+FFFD; all
/// other bytes are copied.
///
/// \source RFC 8259, section 7
inline void append_json_string(std::string& json, std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  constexpr std::string_view kShortEscapes = "\"\"\\\\\bb\ff\nn\rr\tt";
  json += '"';
  while (!text.empty()) {
    const auto code = static_cast<unsigned char>(text.front());
    const std::size_t num_bytes = utf8_character_bytes(text);
    std::size_t at = 0;
    while (at < kShortEscapes.size() && kShortEscapes[at] != text.front()) {
      at += 2;
    }
    if (num_bytes == 0) {
      json += "\xEF\xBF\xBD";
    } else if (at < kShortEscapes.size()) {
      json += '\\';
      json += kShortEscapes[at + 1];
    } else if (code < 0x20 || code == 0x7F) {
      json += "\\u00";
      json += kDigits[code >> 4];
      json += kDigits[code & 15];
    } else {
      json += text.substr(0, num_bytes);
    }
    text.remove_prefix(std::max<std::size_t>(num_bytes, 1));
  }
  json += '"';
}

/// Returns the text that append_json_string() appends.
[[nodiscard]] inline std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

/// Returns text of a file as a message shows it: a JSON string on one line, at
/// most 40 bytes of it, up to the first byte that is not UTF-8.
[[nodiscard]] inline std::string shown_json_string(std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  const std::string_view shown = utf8_prefix(text.substr(0, kMaxBytes));
  return json_string(shown) + (shown.size() < text.size() ? "..." : "");
}

}  // namespace mlp
