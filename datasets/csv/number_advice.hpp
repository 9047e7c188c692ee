// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/number_text.hpp"
#include "../reading/comma_number.hpp"
#include "../reading/quoted.hpp"
#include "csv_dialect.hpp"

/// What to do about a text that stands where a number is expected.
namespace mlp::datasets::detail {

/// Returns the number beside a currency sign or before a percent sign, such as 680.00
/// for $680.00; empty for other texts.
inline std::string_view without_sign(std::string_view text) {
  constexpr std::array<std::string_view, 4> kSigns = {"$", "\u20AC", "\u00A3",
                                                      "\u00A5"};
  const auto trim = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  for (const std::string_view sign : kSigns) {
    if (text.substr(0, sign.size()) == sign) {
      return trim(text.substr(sign.size()));
    }
    if (text.size() > sign.size() &&
        text.substr(text.size() - sign.size()) == sign) {
      return trim(text.substr(0, text.size() - sign.size()));
    }
  }
  if (text.size() > 1 && text.back() == '%') {
    return trim(text.substr(0, text.size() - 1));
  }
  return {};
}

/// Says that all categories of a column are numbers with a currency sign or a percent
/// sign, and how to make numbers of them; empty if they are not.
inline std::string describe_signs(const std::vector<std::string>& categories) {
  const auto has_sign = [](const std::string& category) {
    return category.empty() || parse_double(without_sign(category)).has_value();
  };
  const auto first =
      std::find_if(categories.begin(), categories.end(),
                   [](const auto& category) { return !category.empty(); });
  if (first == categories.end() ||
      !std::all_of(categories.begin(), categories.end(), has_sign)) {
    return "";
  }
  return "has numbers with a sign, which are categories, such as " +
         in_quotes(*first) + "; if they are numbers, write " +
         std::string(without_sign(*first));
}

/// Returns true for a date in digits, such as 2024-01-31, 31.01.2024 or 1/31/24, also
/// with a time behind it.
inline bool is_date(std::string_view text) {
  const std::size_t stop = text.find_first_of(" T");
  const std::string_view date = text.substr(0, stop);
  const std::size_t first = date.find_first_of("-/.");
  if (first == date.npos || first == 0) return false;
  const char separator = date[first];
  const std::size_t second = date.find(separator, first + 1);
  if (second == date.npos) return false;
  const std::array<std::string_view, 3> parts = {
      date.substr(0, first), date.substr(first + 1, second - first - 1),
      date.substr(second + 1)};
  std::size_t num_digits = 0;
  for (const std::string_view part : parts) {
    const bool has_digits_only = std::all_of(
        part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (part.empty() || part.size() > 4 || !has_digits_only) return false;
    num_digits += part.size();
  }
  const auto is_year = [](std::string_view part) {
    return part.size() == 2 || part.size() == 4;
  };
  return parts[1].size() <= 2 && num_digits <= 8 &&
         (is_year(parts[0]) || is_year(parts[2]));
}

/// Returns how a number with commas is to be read or written, as the end of a
/// message; empty for other texts.
///
/// \param is_of_table  true for texts of a format such as Parquet: no option says how it
///                     writes numbers
inline std::string comma_advice(std::string_view text,
                                const CsvDialect& dialect, bool is_of_table) {
  const CommaUse use = comma_use(text);
  if (use == CommaUse::kNone) return "";
  // A file separated by commas has no decimal commas.
  const bool may_be_decimal =
      use == CommaUse::kDecimals ||
      (use == CommaUse::kEither && dialect.delimiter != ',');
  std::string number;
  std::string without_comma;
  for (const char c : text) {
    number += c == ',' ? '.' : c;
    if (c != ',') without_comma += c;
  }
  const std::string thousands =
      "; thousands are not separated: write " + without_comma;
  if (!may_be_decimal) return thousands;
  return (use == CommaUse::kEither ? thousands : "") +
         "; decimals are separated by a point: write " + number +
         (is_of_table ? "" : ", or choose the comma as the decimal separator");
}

/// Returns what to do about a text that is no number, as the end of a message; empty
/// if nothing is known about it.
///
/// \param is_of_table  as for comma_advice()
inline std::string number_advice(std::string_view text,
                                 const CsvDialect& dialect,
                                 bool is_of_table = false) {
  const bool has_point = dialect.decimal == ',' &&
                         text.find('.') != text.npos &&
                         dialect.is_other_number(text);
  if (has_point) {
    return "; decimals are separated by a comma here, and a point may separate "
           "thousands: write the number without a point";
  }
  const std::string commas = comma_advice(text, dialect, is_of_table);
  if (!commas.empty()) return commas;
  if (is_date(text)) {
    return "; a date is no number: write the days since a first day, or year, "
           "month and day as columns";
  }
  const std::string_view number = without_sign(text);
  if (number.empty()) return "";
  const bool is_plain = dialect.number(number).has_value();
  if (is_plain) return "; write " + std::string(number);
  const std::string rest = comma_advice(number, dialect, is_of_table);
  return rest.empty() ? "" : "; leave the sign out" + rest;
}

}  // namespace mlp::datasets::detail
