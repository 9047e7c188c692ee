// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/types.hpp"

/// Columns of a data file, as they become features of a network.
namespace mlp::datasets {

/// What the values of a column are.
enum class ColumnKind {
  kNumber,   ///< numbers: the column is one feature
  kCategory  ///< texts: each category is a feature, 1 for the rows that have it
             ///< and 0 for the others (one-hot)
};

/// One column of the features, before categories are encoded.
struct InputColumn {
  /// Empty if the file has no names.
  std::string name;

  ColumnKind kind = ColumnKind::kNumber;

  /// In the order of their bytes, each once; empty for numbers.
  std::vector<std::string> categories;

  /// What replaces a missing value: a number, or for a category its index. Empty
  /// if missing values are refused.
  std::optional<double> missing_value;

  /// Returns the number of features that the column becomes.
  [[nodiscard]] Index num_features() const {
    return kind == ColumnKind::kNumber ? 1
                                       : static_cast<Index>(categories.size());
  }

  friend bool operator==(const InputColumn&, const InputColumn&) = default;
};

/// Returns the number of features that columns become.
[[nodiscard]] inline Index count_features(
    std::span<const InputColumn> columns) {
  Index count = 0;
  for (const InputColumn& column : columns) count += column.num_features();
  return count;
}

/// Returns the names of the features that columns become: that of the column for
/// numbers, and color=red for category red of column color.
[[nodiscard]] inline std::vector<std::string> expanded_names(
    std::span<const InputColumn> columns) {
  std::vector<std::string> names;
  for (const InputColumn& column : columns) {
    if (column.kind == ColumnKind::kNumber) names.push_back(column.name);
    for (const std::string& category : column.categories) {
      names.push_back(column.name + '=' + category);
    }
  }
  return names;
}

}  // namespace mlp::datasets
