// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Writes texts, numbers, lists and objects as JSON.

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"

namespace mlp::cli {

/// Returns a text as JSON. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string json_text(std::string_view text) {
  return json_string(text);
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
