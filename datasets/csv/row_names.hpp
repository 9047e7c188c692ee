// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "csv_look_ahead.hpp"

/// Columns without a name that name the rows, as R and pandas write them.
namespace mlp::datasets::detail {

/// Returns true for a column that the header does not name: an empty text, or the
/// `Unnamed: 0` that pandas gives such a column.
inline bool is_unnamed(std::string_view name) {
  constexpr std::string_view kPandas = "Unnamed: ";
  if (name.empty()) return true;
  if (name.substr(0, kPandas.size()) != kPandas) return false;
  const auto number = parse_int(name.substr(kPandas.size()));
  return number && *number >= 0;
}

/// Returns true if a column counts the rows below the first one from 0 or 1.
inline bool counts_rows(std::string_view text, char delimiter, Index column) {
  CsvLookAhead rows(text, delimiter);
  Index expected = -1;
  while (const auto value = rows.next(column)) {
    if (expected < 0) expected = *value == "0" ? 0 : 1;
    if (*value != std::to_string(expected)) return false;
    ++expected;
  }
  return expected >= 0 && rows.is_at_end();
}

/// Returns true if a column has a different integer or text in each row below the
/// first one.
///
/// Texts are compared by 64 bits of a hash, so a column of n different texts is taken
/// for one that repeats with a probability of n^2 / 2^65.
/// \cost   8 bytes for each row, and a sort
inline bool has_distinct_names(std::string_view text, char delimiter,
                               Index column) {
  CsvLookAhead rows(text, delimiter);
  std::vector<std::uint64_t> keys;
  while (const auto value = rows.next(column)) {
    const auto number = parse_int(*value);
    const bool is_fraction = !number && parse_double(*value).has_value();
    if (value->empty() || is_fraction) return false;
    keys.push_back(number ? static_cast<std::uint64_t>(*number)
                          : std::hash<std::string>{}(*value));
  }
  std::sort(keys.begin(), keys.end());
  return !keys.empty() && rows.is_at_end() &&
         std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

}  // namespace mlp::datasets::detail
