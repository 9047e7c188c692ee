// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "input_column.hpp"
#include "missing_texts.hpp"
#include "reading/limits.hpp"
#include "reading/quoted.hpp"

/// Encoding of columns as features: values for missing ones, then one feature for
/// each category.
namespace mlp::datasets {

namespace detail {

/// Returns the name of a column for messages.
inline std::string describe_input(const std::vector<InputColumn>& columns,
                                  std::size_t at) {
  const std::string& name = columns[at].name;
  return "column " + (name.empty() ? std::to_string(at) : in_quotes(name));
}

/// Returns the weighted mean of the values that are not missing; NaN if there is
/// none. It is summed in the order of the instances.
inline double mean_of(const Dataset& data, Index column) {
  double sum = 0.0;
  double weights = 0.0;
  for (Index i = 0; i < data.num_instances(); ++i) {
    const double value = data.features(column, i);
    const double weight = data.weights.size() == 0 ? 1.0 : data.weights[i];
    if (std::isnan(value) || weight == 0.0) continue;
    weights += weight;
    const double share = weight / weights;
    const double difference = value - sum;
    // The difference of two finite numbers may overflow, their mean does not.
    sum += std::isfinite(difference) ? difference * share
                                     : value * share - sum * share;
  }
  return weights == 0.0 ? std::nan("") : sum;
}

/// Returns the code with the largest sum of weights, the first one of several; NaN if
/// there is none.
inline double most_frequent(const Dataset& data, Index column,
                            std::size_t num_codes) {
  std::vector<double> sums(num_codes);
  for (Index i = 0; i < data.num_instances(); ++i) {
    const double code = data.features(column, i);
    if (std::isnan(code) || code < 0.0) continue;
    sums[static_cast<std::size_t>(code)] +=
        data.weights.size() == 0 ? 1.0 : data.weights[i];
  }
  std::size_t most = 0;
  for (std::size_t i = 1; i < sums.size(); ++i) {
    if (sums[i] > sums[most]) most = i;
  }
  return sums.empty() || sums[most] == 0.0 ? std::nan("")
                                           : static_cast<double>(most);
}

/// \throws DataError if features of columns with different names have the same
///         name
inline void check_feature_names(const std::vector<InputColumn>& columns,
                                const std::string& source) {
  std::unordered_map<std::string, std::string> column_of_feature;
  for (const InputColumn& column : columns) {
    for (const std::string& name : expanded_names({&column, 1})) {
      const auto known = column_of_feature.emplace(name, column.name).first;
      if (known->second == column.name) continue;
      throw DataError(source, "two features are named " + in_quotes(name) +
                                  ", a column and a category of another one; "
                                  "rename one of the columns");
    }
  }
}

/// Returns a value of an instance, or what replaces it if it is missing.
///
/// \throws DataError if the column has no value for missing ones
inline double filled_value(const Dataset& data,
                           const std::vector<InputColumn>& columns,
                           std::size_t column, Index row) {
  const double value = data.features(static_cast<Index>(column), row);
  if (!std::isnan(value)) return value;
  if (columns[column].missing_value) return *columns[column].missing_value;
  const InstancePlace place = data.place_of(row);
  throw DataError(place.file, place.position,
                  describe_input(columns, column) +
                      " has no value for missing ones; fill in the "
                      "value or remove the row");
}

/// Replaces the missing values of all instances.
///
/// \throws DataError naming the first one in a column without a value for it
inline void fill_missing(Dataset& data,
                         const std::vector<InputColumn>& columns) {
  for (Index row = 0; row < data.num_instances(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      data.features(static_cast<Index>(i), row) =
          filled_value(data, columns, i, row);
    }
  }
}

/// Writes the features of one instance.
///
/// \param features  zeros   [count_features(columns)]
/// \throws DataError if it lacks a value of a column without a value for it
inline void expand(const Dataset& data, Index row,
                   const std::vector<InputColumn>& columns,
                   Eigen::Ref<Vector> features) {
  Index at = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double value = filled_value(data, columns, i, row);
    if (columns[i].kind == ColumnKind::kNumber) {
      features[at] = value;
      if (columns[i].extra == ExtraFeature::kMissing) {
        const double raw = data.features(static_cast<Index>(i), row);
        features[at + 1] = std::isnan(raw) ? 1.0 : 0.0;
      }
    } else if (value >= 0.0) {
      features[at + static_cast<Index>(value)] = 1.0;
    }
    at += columns[i].num_features();
  }
}

/// Returns the code in a column of each category of another list.
inline std::vector<double> places_of(const std::vector<std::string>& texts,
                                     const InputColumn& column) {
  const auto& known = column.categories;
  const Index unknown = unknown_code(column, UnknownRule::kOther);
  std::vector<double> places;
  for (const std::string& text : texts) {
    const auto found = std::lower_bound(known.begin(), known.end(), text);
    const bool is_known = found != known.end() && *found == text;
    places.push_back(
        static_cast<double>(is_known ? found - known.begin() : unknown));
  }
  return places;
}

}  // namespace detail

/// Replaces the codes of the categories of a dataset by those of other columns, in
/// which rare categories may share a feature.
///
/// \param columns  of the same names and kinds
inline void recode(Dataset& data, const std::vector<InputColumn>& columns) {
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const auto& texts = data.columns[i].categories;
    if (texts == columns[i].categories) continue;
    data.own_features();
    const std::vector<double> places = detail::places_of(texts, columns[i]);
    for (double& code : data.features.row(static_cast<Index>(i))) {
      if (code >= 0.0) code = places[static_cast<std::size_t>(code)];
    }
  }
  if (!data.columns.empty()) data.columns = columns;
}

/// Finds the value that replaces missing ones in each column: the mean of numbers,
/// or the most frequent category. Instances have their weights. A column that has a
/// value keeps it.
///
/// Call it with the instances to train on, and no others.
/// \param[in,out] columns  of the dataset
/// \throws DataError naming a column in which all these instances lack a value
inline void fit_missing_values(const Dataset& data,
                               std::vector<InputColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].missing_value) continue;
    const auto column = static_cast<Index>(i);
    const double value =
        columns[i].kind == ColumnKind::kNumber
            ? detail::mean_of(data, column)
            : detail::most_frequent(
                  data, column,
                  static_cast<std::size_t>(columns[i].num_features()));
    if (!std::isfinite(value)) {
      throw DataError(data.source,
                      detail::describe_input(columns, i) +
                          " has no value in any of the " +
                          std::to_string(data.num_instances()) +
                          " rows to train on; leave the column out");
    }
    columns[i].missing_value = value;
  }
}

/// Returns the texts of a column of categories as a dataset stores them: as the
/// indices of their categories, NaN for missing ones, and unknown_code() for unknown
/// ones.
///
/// \param at       the index of the column
/// \param texts    empty where the value is missing   [num_instances]
/// \param unknown  what happens to a text that is no category
/// \param missing  the texts that mean a missing value
/// \throws DataError naming the first text that is no category by its row, if these
///         are refused
[[nodiscard]] inline Vector category_codes(
    const std::vector<InputColumn>& columns, std::size_t at,
    const std::vector<std::optional<std::string>>& texts,
    UnknownRule unknown = UnknownRule::kRefuse,
    const MissingTexts& missing = {}) {
  const std::vector<std::string>& categories = columns[at].categories;
  Vector codes(static_cast<Index>(texts.size()));
  for (std::size_t row = 0; row < texts.size(); ++row) {
    double& code = codes[static_cast<Index>(row)];
    code = std::nan("");
    if (!texts[row] || missing.has(*texts[row])) continue;
    const std::string& text = *texts[row];
    const auto found = find_category(categories, text);
    if (found == categories.end()) {
      code = static_cast<double>(unknown_code(columns[at], unknown));
      if (unknown != UnknownRule::kRefuse) continue;
      throw DataError("row " + std::to_string(row) + ": " +
                      unknown_category(text,
                                       detail::describe_input(columns, at),
                                       categories));
    }
    code = static_cast<double>(found - categories.begin());
  }
  return codes;
}

/// Turns the columns of a dataset into features: missing values are replaced, each
/// category becomes a feature, 1 or 0 (one-hot), and so does what is extra.
///
/// The names of the features are those of expanded_names(). A dataset without
/// columns is already encoded.
/// \param columns  those of the dataset, with the values for missing ones
/// \throws DataError naming the first instance with a missing value in a column
///         without a value for it, or a name that two features have; ShapeError if
///         the number of columns differs
/// \cost   a copy of the features if there are categories or extra features
inline void encode(Dataset& data, const std::vector<InputColumn>& columns) {
  if (data.columns.empty()) return;
  data.own_features();
  const auto num_columns = static_cast<Index>(columns.size());
  if (data.num_features() != num_columns) {
    throw ShapeError("instances must have " + std::to_string(num_columns) +
                     " columns; got " + std::to_string(data.num_features()));
  }
  if (!data.feature_names.empty()) {
    data.feature_names = expanded_names(columns);
    detail::check_feature_names(columns, data.source);
  }
  recode(data, columns);
  data.columns.clear();
  if (!has_categories(columns) && !has_extra_feature(columns)) {
    return detail::fill_missing(data, columns);
  }
  const Index width = count_features(columns);
  const Index size = data.num_instances();
  check_matrix_size(data.source, static_cast<std::uint64_t>(width),
                    static_cast<std::uint64_t>(size));
  check_matrix_memory(data.source, width, size);
  Matrix features = Matrix::Zero(width, size);
  for (Index i = 0; i < size; ++i) {
    detail::expand(data, i, columns, features.col(i));
  }
  data.features = std::move(features);
}

}  // namespace mlp::datasets
