// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "identifiers.hpp"

/// Columns of a table that nobody chose and that cannot be features. Labels have no
/// influence.
namespace mlp::datasets {

/// A column that nobody chose has at most this many categories if more than half
/// of its rows differ: an identifier is no category.
inline constexpr std::size_t kMaxDistinct = 10;

/// Why a column cannot be a feature.
enum class LeftOutReason {
  kNoValue,    ///< no row has a value
  kTexts,      ///< its texts hardly repeat
  kRowNumber,  ///< it names the rows, is_row_number()
};

/// A column that is left out of a table.
struct LeftOutColumn {
  LeftOutReason reason = LeftOutReason::kNoValue;
  Index column = 0;  ///< 0-based index in the table

  /// Its name, or its index if it has none of its own, as CsvOptions::ignored has it.
  std::string name;

  /// What the column has, such as "column 'id' has 90 different texts in 100 rows".
  std::string sentence;
};

/// Returns true if texts hardly repeat.
[[nodiscard]] constexpr bool hardly_repeat(std::size_t num_distinct,
                                           Index num_rows) {
  return num_distinct > kMaxDistinct &&
         2 * num_distinct > static_cast<std::size_t>(num_rows);
}

/// Counts the texts that are no numbers.
[[nodiscard]] inline std::size_t count_no_numbers(
    const std::vector<std::string>& texts) {
  return static_cast<std::size_t>(std::count_if(
      texts.begin(), texts.end(),
      [](const std::string& text) { return !parse_double(text).has_value(); }));
}

namespace detail {

/// Returns true if a text has a unit, such as $680.00 and 50%: it is a number that is
/// written in another way.
inline bool has_unit(const std::string& text) {
  constexpr auto kUnits =
      std::to_array<std::string_view>({"%", "$", "\u20ac", "\u00a3"});
  return std::any_of(kUnits.begin(), kUnits.end(), [&](std::string_view unit) {
    return text.find(unit) != text.npos;
  });
}

}  // namespace detail

/// What decides whether a column can be a feature.
struct ColumnFacts {
  std::string name;       ///< may be empty
  std::string described;  ///< for sentences, such as "column 'id'"
  bool has_value = true;  ///< in at least one row

  /// The different texts of a column of categories, or null.
  const std::vector<std::string>* texts = nullptr;
};

/// Returns true for each column of a dataset that has a value in a row.
[[nodiscard]] inline std::vector<bool> columns_with_values(
    const Dataset& data) {
  std::vector<bool> have_values(static_cast<std::size_t>(data.num_features()));
  data.visit_features([&](Index /*first*/, const auto& features) {
    for (std::size_t i = 0; i < have_values.size(); ++i) {
      if (have_values[i]) continue;
      const auto values = features.row(static_cast<Index>(i));
      have_values[i] = !values.array().isNaN().all();
    }
  });
  return have_values;
}

/// Leaves out all other features.
///
/// \param kept  positions of features
[[nodiscard]] inline FeatureStep keep_features(std::vector<Index> kept) {
  const auto width = static_cast<Index>(kept.size());
  return {width,
          [kept = std::move(kept)](const Matrix& from, Eigen::Ref<Matrix> to) {
            to = from(kept, Eigen::all);
          }};
}

/// Says that the texts of a column hardly repeat.
[[nodiscard]] inline std::string describe_texts(const std::string& column,
                                                std::size_t num_distinct,
                                                Index num_rows) {
  return column + " has " + std::to_string(num_distinct) +
         " different texts in " + std::to_string(num_rows) + " rows";
}

/// Finds out whether a column cannot be a feature: it has no value, texts that hardly
/// repeat, or row numbers. Numbers with units or with a few texts are mistakes, which a
/// reader refuses.
///
/// \return its reason and sentence; nothing if it stays
[[nodiscard]] inline std::optional<LeftOutColumn> find_left_out(
    const Dataset& data, Index feature, const ColumnFacts& column) {
  const Index num_rows = data.num_instances();
  if (num_rows == 0) return std::nullopt;
  if (!column.has_value) {
    return LeftOutColumn{LeftOutReason::kNoValue, 0, "",
                         column.described + " has no value in any of the " +
                             std::to_string(num_rows) + " rows"};
  }
  if (column.texts == nullptr) {
    if (!is_row_number(column.name, data, feature)) return std::nullopt;
    return LeftOutColumn{LeftOutReason::kRowNumber, 0, "",
                         column.described +
                             " has a different integer in each row, which says "
                             "nothing about new rows"};
  }
  const auto& texts = *column.texts;
  if (!hardly_repeat(texts.size(), num_rows) ||
      count_no_numbers(texts) <= kMaxDistinct ||
      std::any_of(texts.begin(), texts.end(), detail::has_unit)) {
    return std::nullopt;
  }
  return LeftOutColumn{
      LeftOutReason::kTexts, 0, "",
      describe_texts(column.described, texts.size(), num_rows)};
}

/// The features of a table that stay, and the columns that are left out.
struct ChosenFeatures {
  std::vector<Index> kept;  ///< positions of features
  std::vector<LeftOutColumn> left_out;
};

/// Chooses the features that stay.
///
/// \param find  (feature, has_value): a LeftOutColumn, or nothing if the feature stays
/// \return leaves out nothing if no feature would stay
template <class Find>
[[nodiscard]] ChosenFeatures choose_kept_features(const Dataset& data,
                                                  const Find& find) {
  ChosenFeatures chosen;
  const std::vector<bool> have_values = columns_with_values(data);
  for (std::size_t i = 0; i < have_values.size(); ++i) {
    const auto feature = static_cast<Index>(i);
    std::optional<LeftOutColumn> found = find(feature, have_values[i]);
    if (found) {
      chosen.left_out.push_back(*std::move(found));
    } else {
      chosen.kept.push_back(feature);
    }
  }
  return chosen.kept.empty() ? ChosenFeatures() : chosen;
}

}  // namespace mlp::datasets
