// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../core/suggestion.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "input_column.hpp"
#include "reading/quoted.hpp"

/// Features that are probably identifiers of the rows.
namespace mlp::datasets {

namespace detail {

/// Returns true if each of the integers from the smallest to the largest occurs once.
///
/// \pre all values are integers
inline bool has_no_gaps(const Vector& values) {
  const double smallest = values.minCoeff();
  const auto size = static_cast<double>(values.size());
  if (values.maxCoeff() - smallest != size - 1.0) return false;
  std::vector<bool> occurs(static_cast<std::size_t>(values.size()));
  for (const double value : values) {
    const auto at = static_cast<std::size_t>(value - smallest);
    if (occurs[at]) return false;
    occurs[at] = true;
  }
  return true;
}

}  // namespace detail

/// Returns true if the values of a feature are probably an identifier: a different
/// integer in each of 10 or more rows, sorted or without gaps.
[[nodiscard]] inline bool is_identifier(const Vector& values) {
  constexpr Index kMinRows = 10;
  if (values.size() < kMinRows) return false;
  bool is_ascending = true;
  bool is_descending = true;
  for (Index i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!std::isfinite(value) || value != std::floor(value)) return false;
    if (i == 0) continue;
    is_ascending = is_ascending && value > values[i - 1];
    is_descending = is_descending && value < values[i - 1];
  }
  return is_ascending || is_descending || detail::has_no_gaps(values);
}

/// The names of columns of row numbers in files that R and pandas wrote, in any case.
inline constexpr auto kRowNumberNames =
    std::to_array<std::string_view>({"rownames", "row.names", "rowname", "row",
                                     "index", "id", "row_id", "unnamed: 0"});

/// Returns true if a feature is named like one of kRowNumberNames and has a different
/// integer in each of 10 or more rows. The rows may be some of a table, in any order.
/// Integers by another name may be times.
[[nodiscard]] inline bool is_row_number(std::string_view name,
                                        const Dataset& data, Index feature) {
  constexpr Index kMinRows = 10;
  const auto is_name = [&](std::string_view known) {
    return equals_ignoring_case(name, known);
  };
  if (std::none_of(kRowNumberNames.begin(), kRowNumberNames.end(), is_name)) {
    return false;
  }
  if (data.num_instances() < kMinRows) return false;
  Vector sorted = data.column(feature);
  const auto is_integer = [](double value) {
    return std::isfinite(value) && value == std::floor(value);
  };
  if (!std::all_of(sorted.begin(), sorted.end(), is_integer)) return false;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Returns the features of numbers with a name that are probably identifiers, before
/// the columns are encoded.
///
/// \cost one pass over each feature that looks like one in the first rows
[[nodiscard]] inline std::vector<Index> find_identifiers(const Dataset& data) {
  constexpr Index kNumbers = Index{1} << 20;
  const Matrix first = data.first_features(
      kNumbers / std::max<Index>(1, data.num_features()) + 1);
  const auto may_be_one = [&](Index feature) {
    Vector values = first.row(feature);
    const bool are_integers =
        std::all_of(values.begin(), values.end(), [](double value) {
          return std::isfinite(value) && value == std::floor(value);
        });
    if (!are_integers) return false;
    std::sort(values.begin(), values.end());
    return std::adjacent_find(values.begin(), values.end()) == values.end();
  };
  std::vector<Index> found;
  for (std::size_t i = 0; i < data.feature_names.size(); ++i) {
    const bool is_number =
        data.columns.empty() || data.columns[i].kind == ColumnKind::kNumber;
    const auto feature = static_cast<Index>(i);
    if (!data.feature_names[i].empty() && is_number && may_be_one(feature) &&
        is_identifier(data.column(feature))) {
      found.push_back(feature);
    }
  }
  return found;
}

/// Says that a feature is probably an identifier.
[[nodiscard]] inline std::string describe_identifier(const std::string& name) {
  return "column " + in_quotes(name) +
         " has a different integer in each row, sorted or without gaps, so it "
         "is probably an identifier, which says nothing about new rows";
}

}  // namespace mlp::datasets
