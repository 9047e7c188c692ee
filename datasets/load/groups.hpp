// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

/// Numbers groups in the order in which they occur. Equal texts are one group, and equal
/// numbers if all groups are numbers.
///
/// \param texts    without blanks around them, and none missing   [num_instances]
/// \param dialect  how they write numbers
[[nodiscard]] inline std::vector<Index> number_groups(
    const std::vector<std::string>& texts, const CsvDialect& dialect) {
  const std::vector<std::string> names = group_names(texts, dialect);
  std::unordered_map<std::string_view, Index> numbers;
  std::vector<Index> groups;
  groups.reserve(names.size());
  for (const std::string& name : names) {
    const auto next = static_cast<Index>(numbers.size());
    groups.push_back(numbers.emplace(name, next).first->second);
  }
  return groups;
}

/// Numbers the groups of a column.
///
/// \param dialect  how the file writes numbers and missing values
/// \throws DataError naming the line of an instance without a group
inline void index_groups(const KeptColumn& column, const CsvDialect& dialect,
                         Dataset& data) {
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
  }
  data.groups = number_groups(column.texts, dialect);
}

}  // namespace mlp::datasets::detail
