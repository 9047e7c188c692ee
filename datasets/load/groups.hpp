// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../csv/csv_dialect.hpp"
#include "../csv/kept_columns.hpp"
#include "../dataset.hpp"
#include "../label_numbers.hpp"
#include "../reading/quoted.hpp"

/// The column of a CSV file that names the group of each instance.
namespace mlp::datasets::detail {

/// Returns texts, or the names of the numbers that they are: 3 for 3.0. All must be
/// numbers, and float64 must tell them from their neighbours, as for names of classes.
inline std::vector<std::string> group_names(
    const std::vector<std::string>& texts, const CsvDialect& dialect) {
  std::vector<std::string> names;
  names.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto number = dialect.number(text);
    if (!number || std::abs(*number) >= kInexactInteger) return texts;
    names.push_back(number_name(*number));
  }
  return names;
}

/// Numbers the groups of a column. Equal texts are one group, and equal numbers if all
/// groups are numbers.
///
/// \param dialect  how the file writes numbers and missing values
/// \throws DataError naming the line of an instance without a group
inline void index_groups(const KeptColumn& column, const CsvDialect& dialect,
                         Dataset& data) {
  const std::vector<std::string> names = group_names(column.texts, dialect);
  std::unordered_map<std::string_view, Index> numbers;
  data.groups.reserve(column.texts.size());
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const std::string_view text = column.texts[i];
    if (dialect.missing.has(text)) {
      const InstancePlace place = data.place_of(static_cast<Index>(i));
      throw DataError(place.file, place.position,
                      "expected a group in column " + in_quotes(column.name) +
                          ", got " +
                          (text.empty() ? "an empty field" : in_quotes(text)) +
                          "; give the row a group of its own or remove it");
    }
    const auto next = static_cast<Index>(numbers.size());
    data.groups.push_back(numbers.emplace(names[i], next).first->second);
  }
}

}  // namespace mlp::datasets::detail
