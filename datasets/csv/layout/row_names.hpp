// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../../core/number_text.hpp"
#include "../../../core/types.hpp"
#include "../csv_look_ahead.hpp"

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

/// Returns true for a name that pandas gives the row names in Parquet files and tables of
/// Arrow, such as `__index_level_0__`.
inline bool is_stored_index(std::string_view name) {
  return name.starts_with("__index_level_");
}

/// Returns true if a column counts the rows below the first rows of the texts from 0
/// or 1. Each text continues the one before it, or begins again.
inline bool counts_rows(std::span<const std::string_view> texts, char delimiter,
                        Index column) {
  std::optional<Index> next;
  for (const std::string_view text : texts) {
    CsvLookAhead rows(text, delimiter);
    bool is_first = true;
    while (const auto value = rows.next(column)) {
      const bool begins = is_first && (*value == "0" || *value == "1");
      if (begins) next = *value == "0" ? 0 : 1;
      if (!next || *value != std::to_string(*next)) return false;
      is_first = false;
      ++*next;
    }
    if (!rows.is_at_end()) return false;
  }
  return next.has_value();
}

/// Returns true if a column has a different integer or text in each row below the
/// first row of each text.
///
/// Texts are compared by 64 bits of a hash, so a column of n different texts is taken
/// for one that repeats with a probability of n^2 / 2^65.
/// \cost   8 bytes for each row, and a sort
inline bool has_distinct_names(std::span<const std::string_view> texts,
                               char delimiter, Index column) {
  bool has_rows = false;
  for (const std::string_view text : texts) {
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
    if (!rows.is_at_end() ||
        std::adjacent_find(keys.begin(), keys.end()) != keys.end()) {
      return false;
    }
    has_rows = has_rows || !keys.empty();
  }
  return has_rows;
}

}  // namespace mlp::datasets::detail
