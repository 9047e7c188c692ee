// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "../../core/number_text.hpp"

/// Numbers with a comma, such as 3,14 and 1,234: found to be explained.
namespace mlp::datasets::detail {

/// What the commas of a number separate.
enum class CommaUse {
  kNone,       ///< the text is not a number with commas
  kDecimals,   ///< 3,14
  kThousands,  ///< 1,234,567
  kEither      ///< 1,234
};

/// Determines what the commas of a text separate.
inline CommaUse comma_use(std::string_view text) {
  const auto num_commas = std::count(text.begin(), text.end(), ',');
  if (num_commas == 0) return CommaUse::kNone;
  const std::size_t first = text.find(',');
  const std::string digits = std::string(text.substr(0, first)) + '.' +
                             std::string(text.substr(first + 1));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (num_commas == 1 && text.find('.') == text.npos) {
    const bool has_digits =
        first + 1 < text.size() && is_digit(text[first + 1]);
    if (!has_digits || !parse_double(digits)) return CommaUse::kNone;
    const std::string_view after = text.substr(first + 1);
    const std::size_t num_before =
        first - (text.front() == '-' || text.front() == '+' ? 1U : 0U);
    const bool is_group = after.size() == 3 && num_before >= 1 &&
                          num_before <= 3 && text[first - 1] != '0' &&
                          std::all_of(after.begin(), after.end(), is_digit);
    return is_group ? CommaUse::kEither : CommaUse::kDecimals;
  }
  std::string joined;
  const std::size_t sign = text.front() == '-' || text.front() == '+' ? 1 : 0;
  if (first == sign || first > sign + 3 || text.find('.') < first)
    return CommaUse::kNone;
  std::size_t run = 0;
  for (std::size_t i = first; i < text.size() && text[i] != '.'; ++i) {
    if (text[i] == ',' && i != first && run != 3) return CommaUse::kNone;
    run = text[i] == ',' ? 0 : run + 1;
  }
  if (run != 3) return CommaUse::kNone;
  std::copy_if(text.begin(), text.end(), std::back_inserter(joined),
               [](char c) { return c != ','; });
  return parse_double(joined) ? CommaUse::kThousands : CommaUse::kNone;
}

/// Returns true if all fields of a line that is separated by ';' are numbers or
/// empty, and one has a comma.
inline bool has_decimal_commas(std::string_view line) {
  if (line.find(';') == line.npos) return false;
  bool has_comma = false;
  while (true) {
    const std::size_t end = std::min(line.find(';'), line.size());
    std::string_view field = line.substr(0, end);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\r')) {
      field.remove_suffix(1);
    }
    const bool is_comma_number = comma_use(field) != CommaUse::kNone;
    has_comma = has_comma || is_comma_number;
    if (!field.empty() && !is_comma_number && field.find(',') != field.npos) {
      return false;
    }
    if (end == line.size()) return has_comma;
    line.remove_prefix(end + 1);
  }
}

}  // namespace mlp::datasets::detail
