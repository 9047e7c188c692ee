// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Writes texts, numbers, lists and objects as JSON.

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../core/number_text.hpp"

namespace mlp::cli {

namespace detail {

/// Returns the length of the UTF-8 character at the start; 0 if it is invalid.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool is_overlong =
      (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character =
      (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return is_overlong || is_no_character ? 0 : length;
}

}  // namespace detail

/// Returns a text as JSON. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string json_text(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string json = "\"";
  while (!text.empty()) {
    const char letter = text.front();
    const std::size_t length = detail::utf8_length(text);
    if (length == 0) {
      json += "\xEF\xBF\xBD";
    } else if (letter == '"' || letter == '\\') {
      json += '\\';
      json += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      json += "\\u00";
      json += kHexDigits[static_cast<unsigned char>(letter) / 16];
      json += kHexDigits[static_cast<unsigned char>(letter) % 16];
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + '"';
}

/// Returns a number as JSON: the shortest text that reads back as the same
/// number. NaN and infinities do not exist in JSON and become strings with
/// Java's spelling.
template <typename Number>
requires std::is_arithmetic_v<Number>
[[nodiscard]] std::string json_text(Number number) {
  if constexpr (std::is_same_v<Number, bool>) {
    return number ? "true" : "false";
  } else if constexpr (std::is_integral_v<Number>) {
    return std::to_string(number);
  } else {
    const std::string text = format_double(number);
    return std::isfinite(number) ? text : '"' + text + '"';
  }
}

/// Returns a list of texts or numbers as JSON, on one line.
template <typename List>
requires(!std::is_convertible_v<List, std::string_view> &&
         !std::is_arithmetic_v<List>) [[nodiscard]] std::string
    json_text(const List& list) {
  std::string json = "[";
  for (const auto& item : list) {
    if (json.size() > 1) json += ", ";
    json += json_text(item);
  }
  return json + ']';
}

/// Builds a JSON object with one member per line, in the order of the calls.
class JsonObject {
 public:
  /// Adds a member with a value that is already JSON.
  JsonObject& add_json(std::string_view name, const std::string& json) {
    if (!members_.empty()) members_ += ",\n";
    members_ += "  " + json_text(name) + ": " + json;
    return *this;
  }

  template <typename Value>
  JsonObject& add(std::string_view name, const Value& value) {
    return add_json(name, json_text(value));
  }

  /// Returns the object with a newline at the end.
  [[nodiscard]] std::string text() const { return "{\n" + members_ + "\n}\n"; }

 private:
  std::string members_;
};

}  // namespace mlp::cli
