// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/types.hpp"
#include "column_encoder.hpp"
#include "dataset.hpp"
#include "input_column.hpp"
#include "left_out_columns.hpp"

/// Which features a training makes of its columns. Labels have no influence.
namespace mlp::datasets {

/// A category with fewer training rows has no feature of its own.
inline constexpr Index kMinCategoryRows = 3;

/// A column of numbers has a feature for missing values if they are more than this
/// share of the training rows.
inline constexpr double kMinMissingShare = 0.01;

/// What becomes a feature beside numbers and categories.
struct ColumnFeatureRules {
  /// Missing values of categories are a category, those of numbers a feature.
  bool marks_missing = false;

  /// Rare categories share a feature, and so do the rarest of more than
  /// kMaxCategories.
  bool groups_rare = false;
};

namespace detail {

/// A category and the number of rows that have it.
struct CategoryCount {
  std::string text;
  Index count = 0;
};

/// How many rows have each value of the columns of categories, and lack a value.
class ColumnCounts {
 public:
  /// \cost one pass over the features
  explicit ColumnCounts(const Dataset& data)
      : of_codes_(data.columns.size()), num_missing_(data.columns.size()) {
    for (std::size_t i = 0; i < data.columns.size(); ++i) {
      of_codes_[i].resize(data.columns[i].categories.size());
    }
    data.visit_features([&](Index /*first*/, const auto& features) {
      for (Index row = 0; row < features.cols(); ++row) {
        for (std::size_t i = 0; i < of_codes_.size(); ++i) {
          add(i, features(static_cast<Index>(i), row));
        }
      }
    });
  }

  [[nodiscard]] Index num_missing(std::size_t column) const {
    return num_missing_[column];
  }

  /// Returns the categories of a column, in their order, and missing values as the
  /// empty text in front of them.
  [[nodiscard]] std::vector<CategoryCount> of(const InputColumn& column,
                                              std::size_t at) const {
    std::vector<CategoryCount> counts = {{"", num_missing_[at]}};
    for (std::size_t i = 0; i < column.categories.size(); ++i) {
      counts.push_back({column.categories[i], of_codes_[at][i]});
    }
    return counts;
  }

 private:
  void add(std::size_t column, double value) {
    if (std::isnan(value)) {
      ++num_missing_[column];
    } else if (!of_codes_[column].empty() && value >= 0.0) {
      ++of_codes_[column][static_cast<std::size_t>(value)];
    }
  }

  std::vector<std::vector<Index>> of_codes_;
  std::vector<Index> num_missing_;
};

/// Takes the categories that share a feature out of a list.
///
/// \param[in,out] counts  in the order of the texts
/// \returns the number of rows that have one of these
inline Index take_rare(std::vector<CategoryCount>& counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const CategoryCount& a, const CategoryCount& b) {
                     return a.count > b.count;
                   });
  const auto first = std::find_if(counts.begin(), counts.end(),
                                  [](const CategoryCount& category) {
                                    return category.count < kMinCategoryRows;
                                  });
  const auto num_kept = std::min(
      static_cast<std::size_t>(first - counts.begin()), kMaxCategories);
  Index num_rows = 0;
  for (std::size_t i = num_kept; i < counts.size(); ++i) {
    num_rows += counts[i].count;
  }
  counts.resize(num_kept);
  std::sort(counts.begin(), counts.end(),
            [](const CategoryCount& a, const CategoryCount& b) {
              return a.text < b.text;
            });
  return num_rows;
}

/// Chooses the features of a column of categories.
///
/// \param counts  of its categories, in their order, behind that of missing values
inline InputColumn choose_categories(InputColumn column,
                                     std::vector<CategoryCount> counts,
                                     const ColumnFeatureRules& rules) {
  const bool is_marked = rules.marks_missing && counts.front().count > 0;
  if (!is_marked) counts.erase(counts.begin());
  const bool has_rare = rules.groups_rare && take_rare(counts) > 0;
  if (has_rare) column.extra = ExtraFeature::kOther;
  column.categories.clear();
  for (CategoryCount& category : counts) {
    column.categories.push_back(std::move(category.text));
  }
  if (!is_marked) return column;
  const bool is_own =
      !column.categories.empty() && column.categories.front().empty();
  column.missing_value =
      is_own ? 0.0 : static_cast<double>(column.categories.size());
  return column;
}

/// Returns true if a column of numbers lacks values in enough rows.
inline bool lacks_values(Index num_missing, Index num_rows) {
  return static_cast<double>(num_missing) >
         kMinMissingShare * static_cast<double>(num_rows);
}

}  // namespace detail

/// Leaves out the columns that cannot be features, unless none were left.
///
/// \param[in,out] data  with columns, and codes of categories in their order
/// \param         are_chosen  true for columns that somebody chose, which stay
/// \return what is left out; its columns are positions in the dataset
inline std::vector<LeftOutColumn> leave_out_columns(
    Dataset& data, const std::vector<bool>& are_chosen) {
  const auto find = [&](Index at, bool has_value) {
    const auto i = static_cast<std::size_t>(at);
    if (are_chosen[i]) return std::optional<LeftOutColumn>();
    const InputColumn& column = data.columns[i];
    const bool is_category = column.kind == ColumnKind::kCategory;
    auto found =
        find_left_out(data, at,
                      {column.name, detail::describe_input(data.columns, i),
                       has_value, is_category ? &column.categories : nullptr});
    if (found) {
      found->column = at;
      found->name = column.name;
    }
    return found;
  };
  ChosenFeatures chosen = choose_kept_features(data, find);
  if (chosen.left_out.empty()) return {};
  std::vector<InputColumn> columns;
  std::vector<std::string> names;
  for (const Index at : chosen.kept) {
    columns.push_back(std::move(data.columns[static_cast<std::size_t>(at)]));
    if (!data.feature_names.empty()) names.push_back(columns.back().name);
  }
  data.compute_features(keep_features(std::move(chosen.kept)));
  data.columns = std::move(columns);
  data.feature_names = std::move(names);
  return std::move(chosen.left_out);
}

/// Returns the columns of a dataset with the features that a training makes of them.
/// A category that is rare in the dataset has no feature of its own; of equally
/// frequent ones, the first keep theirs.
///
/// Call it with the instances to train on, and then recode().
[[nodiscard]] inline std::vector<InputColumn> choose_features(
    const Dataset& data, const ColumnFeatureRules& rules) {
  std::vector<InputColumn> columns = data.columns;
  if (!rules.marks_missing && !rules.groups_rare) return columns;
  const detail::ColumnCounts counts(data);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    InputColumn& column = columns[i];
    if (column.kind == ColumnKind::kCategory) {
      column = detail::choose_categories(column, counts.of(column, i), rules);
    } else if (rules.marks_missing &&
               detail::lacks_values(counts.num_missing(i),
                                    data.num_instances())) {
      column.extra = ExtraFeature::kMissing;
    }
  }
  return columns;
}

}  // namespace mlp::datasets
