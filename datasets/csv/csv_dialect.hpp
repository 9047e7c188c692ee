// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/number_text.hpp"
#include "../missing_texts.hpp"
#include "../reading/comma_number.hpp"

/// How the fields of a CSV file write numbers and missing values.
namespace mlp::datasets {

namespace detail {

/// Returns the value of True and False, written so or in one case; nothing for other
/// texts.
[[nodiscard]] inline std::optional<double> parse_boolean(
    std::string_view text) {
  for (const std::string_view yes : {"True", "TRUE", "true"}) {
    if (text == yes) return 1.0;
  }
  for (const std::string_view no : {"False", "FALSE", "false"}) {
    if (text == no) return 0.0;
  }
  return std::nullopt;
}

/// Reads a number whose decimals are separated by a comma; a point makes it none.
[[nodiscard]] inline std::optional<double> parse_comma_number(
    std::string_view text) {
  if (text.find('.') != text.npos) return std::nullopt;
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return parse_double(with_point);
}

/// What separates fields and decimals, and what is missing.
struct CsvDialect {
  char delimiter = ',';  ///< ' ': one or more spaces or tabs
  char decimal = '.';    ///< or ','
  MissingTexts missing;

  /// Reads a number; nothing for other texts.
  [[nodiscard]] std::optional<double> number(std::string_view text) const {
    return decimal == '.' ? parse_double(text) : parse_comma_number(text);
  }

  /// Returns a text as other files spell it: a number with a decimal comma has a point.
  [[nodiscard]] std::string with_point(std::string text) const {
    if (decimal == ',' && number(text)) {
      std::replace(text.begin(), text.end(), ',', '.');
    }
    return text;
  }

  /// Returns true for a number that is written in another way: 3,14 and 1,234.5 where
  /// decimals have a point, 3.14 and 1.234,5 where they have a comma.
  [[nodiscard]] bool is_other_number(std::string_view text) const {
    if (number(text)) return false;
    if (comma_use(text) != CommaUse::kNone) return true;
    if (decimal == '.') return false;
    std::string swapped(text);
    for (char& c : swapped) c = c == '.' ? ',' : c == ',' ? '.' : c;
    return comma_use(swapped) != CommaUse::kNone;
  }

  /// Returns true if a field says that its value is missing.
  [[nodiscard]] bool is_missing(std::string_view text) const {
    if (missing.has(text)) return true;
    if (decimal == '.' || missing.numbers().empty()) return false;
    const auto value = number(text);
    return value && missing.has_number(*value);
  }

  /// Returns true if each plain decimal of the text is the number of its field.
  [[nodiscard]] bool has_plain_numbers() const {
    return decimal == '.' && missing.numbers().empty();
  }
};

}  // namespace detail

}  // namespace mlp::datasets
