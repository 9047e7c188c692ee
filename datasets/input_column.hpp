// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/names.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "reading/quoted.hpp"

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

/// What happens to a category that a column does not have.
enum class UnknownRule {
  kRefuse,  ///< the file is refused
  kIgnore   ///< the row has none of the categories: all their features are 0
};

inline constexpr auto kUnknownRuleNames = std::to_array<Named<UnknownRule>>({
    {UnknownRule::kRefuse, "refuse"},
    {UnknownRule::kIgnore, "ignore"},
});

/// How the fields of a data file are read, where columns do not tell it.
struct InputRules {
  UnknownRule unknown = UnknownRule::kRefuse;

  /// Texts that mean a missing value, in place of kMissingTexts: not empty, each
  /// once. If there are none, kMissingTexts do.
  std::vector<std::string> missing_texts;

  friend bool operator==(const InputRules&, const InputRules&) = default;
};

/// Returns true if a column is one of categories.
[[nodiscard]] inline bool has_categories(std::span<const InputColumn> columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const InputColumn& column) {
                       return column.kind == ColumnKind::kCategory;
                     });
}

/// Returns the number of features that columns become.
[[nodiscard]] inline Index count_features(
    std::span<const InputColumn> columns) {
  Index count = 0;
  for (const InputColumn& column : columns) count += column.num_features();
  return count;
}

/// Returns the name of each column; nothing if the columns have no names.
[[nodiscard]] inline std::vector<std::string> column_names(
    std::span<const InputColumn> columns) {
  std::vector<std::string> names;
  bool is_any = false;
  for (const InputColumn& column : columns) {
    names.push_back(column.name);
    is_any = is_any || !column.name.empty();
  }
  if (!is_any) names.clear();
  return names;
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

/// Returns true if columns become the same features.
[[nodiscard]] inline bool has_same_categories(std::span<const InputColumn> a,
                                              std::span<const InputColumn> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const InputColumn& x, const InputColumn& y) {
                      return x.name == y.name && x.kind == y.kind &&
                             x.categories == y.categories;
                    });
}

/// Says that a column has a text that is none of its categories.
///
/// \param column  its name or index with the word column
[[nodiscard]] inline std::string unknown_category(
    std::string_view text, const std::string& column,
    const std::vector<std::string>& categories) {
  return "unknown category " + in_quotes(text) + " in " + column +
         "; expected one of " + quoted_list(categories);
}

/// Returns all that columns have as one text, to hash it or to compare it.
[[nodiscard]] inline std::string columns_text(
    std::span<const InputColumn> columns) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text.append(part).append(1, '\0');
  };
  for (const InputColumn& column : columns) {
    add(column.name);
    add(std::to_string(column.categories.size()));
    for (const std::string& category : column.categories) add(category);
    add(column.missing_value ? format_double(*column.missing_value) : "");
  }
  return text;
}

}  // namespace mlp::datasets
