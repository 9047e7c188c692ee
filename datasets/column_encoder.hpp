// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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
#include "reading/quoted.hpp"
#include "reading/trim_blanks.hpp"

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

/// The mean of a column of numbers, or its most frequent category, by the weights of
/// instances. Missing values do not count.
class ColumnCenter {
 public:
  /// \param num_codes  of a column of categories; 0 for numbers
  explicit ColumnCenter(std::size_t num_codes) : sums_(num_codes) {}

  void add(double value, double weight) {
    if (std::isnan(value) || weight == 0.0) return;
    if (sums_.empty()) return add_number(value, weight);
    if (value >= 0.0) sums_[static_cast<std::size_t>(value)] += weight;
  }

  /// Returns the mean, or the code with the largest sum of weights, the first one of
  /// several; NaN if there is no value.
  [[nodiscard]] double value() const {
    if (sums_.empty()) return weights_ == 0.0 ? std::nan("") : mean_;
    const auto most = std::max_element(sums_.begin(), sums_.end());
    return *most == 0.0 ? std::nan("")
                        : static_cast<double>(most - sums_.begin());
  }

 private:
  void add_number(double value, double weight) {
    weights_ += weight;
    const double share = weight / weights_;
    const double difference = value - mean_;
    // The difference of two finite numbers may overflow, their mean does not.
    mean_ += std::isfinite(difference) ? difference * share
                                       : value * share - mean_ * share;
  }

  std::vector<double> sums_;
  double mean_ = 0.0;
  double weights_ = 0.0;
};

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

/// Refuses missing values in columns that have no value for them.
///
/// \throws DataError naming the first one
inline void require_filled(const Dataset& data,
                           const std::vector<InputColumn>& columns) {
  const auto has_value = [](const InputColumn& column) {
    return column.missing_value.has_value();
  };
  if (std::all_of(columns.begin(), columns.end(), has_value)) return;
  data.visit_features([&](Index first, const auto& features) {
    if (!features.hasNaN()) return;
    for (Index row = 0; row < features.cols(); ++row) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool is_missing =
            std::isnan(features(static_cast<Index>(i), row));
        if (!is_missing || has_value(columns[i])) continue;
        const InstancePlace place = data.place_of(first + row);
        throw DataError(place.file, place.position,
                        describe_input(columns, i) +
                            " has no value for missing ones; fill in the "
                            "value or remove the row");
      }
    }
  });
}

/// Returns a value, or what replaces it if it is missing.
inline double filled_value(const InputColumn& column, double value) {
  return std::isnan(value) ? *column.missing_value : value;
}

/// Replaces missing values.
inline FeatureStep fill_missing(std::vector<InputColumn> columns) {
  const auto width = static_cast<Index>(columns.size());
  return {width, [columns = std::move(columns)](const Matrix& from,
                                                Eigen::Ref<Matrix> to) {
            for (Index row = 0; row < from.cols(); ++row) {
              for (Index i = 0; i < from.rows(); ++i) {
                to(i, row) = filled_value(columns[static_cast<std::size_t>(i)],
                                          from(i, row));
              }
            }
          }};
}

/// Writes the features of one instance.
///
/// \param values    of its columns   [num_columns]
/// \param features  zeros   [count_features(columns)]
inline void expand(const ConstVectorRef& values,
                   const std::vector<InputColumn>& columns,
                   Eigen::Ref<Vector> features) {
  Index at = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double raw = values[static_cast<Index>(i)];
    const double value = filled_value(columns[i], raw);
    if (columns[i].kind == ColumnKind::kNumber) {
      features[at] = value;
      if (columns[i].extra == ExtraFeature::kMissing) {
        features[at + 1] = std::isnan(raw) ? 1.0 : 0.0;
      }
    } else if (value >= 0.0) {
      features[at + static_cast<Index>(value)] = 1.0;
    }
    at += columns[i].num_features();
  }
}

/// Makes the features of all columns.
inline FeatureStep expand_columns(std::vector<InputColumn> columns) {
  const Index width = count_features(columns);
  return {width, [columns = std::move(columns)](const Matrix& from,
                                                Eigen::Ref<Matrix> to) {
            to.setZero();
            for (Index row = 0; row < from.cols(); ++row) {
              expand(from.col(row), columns, to.col(row));
            }
          }};
}

/// The new code for each code of a column of categories; none for a column that stays
/// as it is   [num_columns]
using CodePlaces = std::vector<std::vector<double>>;

/// Replaces codes. Missing values and unknown categories stay.
inline FeatureStep replace_codes(CodePlaces places) {
  const auto width = static_cast<Index>(places.size());
  return {width, [places = std::move(places)](const Matrix& from,
                                              Eigen::Ref<Matrix> to) {
            to = from;
            for (std::size_t i = 0; i < places.size(); ++i) {
              if (places[i].empty()) continue;
              for (double& code : to.row(static_cast<Index>(i))) {
                if (code >= 0.0) {
                  code = places[i][static_cast<std::size_t>(code)];
                }
              }
            }
          }};
}

/// Returns the code in a column of each category of another list, of a rare one as a
/// prediction finds it: 1.0 has the code of 1.
inline std::vector<double> places_of(const std::vector<std::string>& texts,
                                     const InputColumn& column) {
  const auto& known = column.categories;
  const Index unknown = unknown_code(column, UnknownRule::kOther);
  std::vector<double> places;
  for (const std::string& text : texts) {
    const auto found = find_category(known, text);
    places.push_back(static_cast<double>(
        found != known.end() ? found - known.begin() : unknown));
  }
  return places;
}

}  // namespace detail

/// Replaces the codes of the categories of a dataset by those of other columns, in
/// which rare categories may share a feature.
///
/// \param columns  of the same names and kinds
inline void recode(Dataset& data, const std::vector<InputColumn>& columns) {
  detail::CodePlaces places(data.columns.size());
  bool is_any = false;
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const auto& texts = data.columns[i].categories;
    if (texts == columns[i].categories) continue;
    places[i] = detail::places_of(texts, columns[i]);
    is_any = true;
  }
  if (is_any) data.compute_features(detail::replace_codes(std::move(places)));
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
  std::vector<detail::ColumnCenter> centers;
  for (const InputColumn& column : columns) {
    const bool is_number = column.kind == ColumnKind::kNumber;
    centers.emplace_back(
        is_number ? 0 : static_cast<std::size_t>(column.num_features()));
  }
  data.visit_features([&](Index first, const auto& features) {
    for (Index row = 0; row < features.cols(); ++row) {
      const double weight =
          data.weights.size() == 0 ? 1.0 : data.weights[first + row];
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].missing_value) continue;
        centers[i].add(features(static_cast<Index>(i), row), weight);
      }
    }
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].missing_value) continue;
    const bool has_no_code = columns[i].kind == ColumnKind::kCategory &&
                             columns[i].num_features() == 0;
    const double value = has_no_code ? std::nan("") : centers[i].value();
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
/// \param texts    nothing where the value is missing; blanks around a text do not count
///                 [num_instances]
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
    if (!texts[row]) continue;
    const std::string text(detail::trim_blanks(*texts[row]));
    if (missing.has(text)) continue;
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
  detail::require_filled(data, columns);
  const bool is_expanded =
      has_categories(columns) || has_extra_feature(columns);
  data.compute_features(is_expanded ? detail::expand_columns(columns)
                                    : detail::fill_missing(columns));
}

}  // namespace mlp::datasets
