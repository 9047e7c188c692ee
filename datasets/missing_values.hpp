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

#include "../core/names.hpp"
#include "../core/types.hpp"
#include "column_encoder.hpp"
#include "dataset.hpp"
#include "input_column.hpp"

/// Values of a table that are missing or unknown: their numbers, and the sentences about
/// them.
namespace mlp::datasets {

/// What a reader does with a feature that is missing: an empty field, or one of
/// CsvOptions::missing_texts.
enum class MissingRule {
  kRefuse,  ///< refuses the file
  kDrop,    ///< leaves out the row, also if its label is missing
  kMean     ///< stores NaN; fit_missing_values() finds what replaces it
};

inline constexpr auto kMissingRuleNames = std::to_array<Named<MissingRule>>({
    {MissingRule::kRefuse, "refuse"},
    {MissingRule::kDrop, "drop"},
    {MissingRule::kMean, "mean"},
});

/// The values of a column that no category of a model has.
struct UnknownCategories {
  std::string column;  ///< such as "column 'colour'"
  Index num_values = 0;
  bool are_all = false;  ///< no value of the column is known, of at least two
};

/// How many values of a table are missing, or unknown to a model.
struct MissingValues {
  Index num_values = 0;  ///< missing features and labels
  Index num_rows = 0;    ///< rows with at least one of them
  Index num_all_rows = 0;
  Index num_columns = 0;  ///< columns with at least one of them

  /// Missing values of each feature before the encoding   [num_columns]; empty if
  /// none is allowed.
  std::vector<Index> of_features;

  /// The column that has most of them, such as "column 'age'".
  std::string most;
  Index most_column = 0;
  Index num_most = 0;

  Index num_unknown = 0;  ///< categories that the model does not have

  /// Unknown categories of each feature before the encoding   [num_columns].
  std::vector<Index> unknown_of_features;

  /// The columns that have unknown categories, in their order.
  std::vector<UnknownCategories> unknown;

  /// Columns of codes of two letters whose 'NA' was taken as missing, such as
  /// "column 'country'".
  std::vector<std::string> codes;

  /// Sets the column that has most of them.
  ///
  /// \param counts  of each column   [at least 1]
  void set_columns(const std::vector<Index>& counts) {
    const auto most_at = std::max_element(counts.begin(), counts.end());
    num_most = *most_at;
    most_column = most_at - counts.begin();
    num_columns = std::count_if(counts.begin(), counts.end(),
                                [](Index count) { return count != 0; });
  }

  /// Names the columns that have unknown categories.
  ///
  /// \param name_of  (feature): such as "column 'colour'"
  template <class NameOf>
  void name_unknown(const NameOf& name_of) {
    for (std::size_t i = 0; i < unknown_of_features.size(); ++i) {
      const Index count = unknown_of_features[i];
      if (count == 0) continue;
      const Index num_present = num_all_rows - of_features[i];
      unknown.push_back({name_of(static_cast<Index>(i)), count,
                         count == num_present && count > 1});
    }
  }
};

/// Returns "1 row" or "2 rows".
[[nodiscard]] inline std::string count_of(Index count,
                                          const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

/// Counts what is missing in features, which are numbers or codes of categories, and in
/// labels.
///
/// \param is_unknown   (feature, value): true for the code of an unknown category
/// \param lacks_label  (instance): true if its label is missing
/// \return without the columns that have most of them
template <class IsUnknown, class LacksLabel>
[[nodiscard]] MissingValues count_values(const Dataset& data,
                                         const IsUnknown& is_unknown,
                                         const LacksLabel& lacks_label) {
  MissingValues missing;
  missing.num_all_rows = data.num_instances();
  missing.of_features.resize(static_cast<std::size_t>(data.num_features()));
  missing.unknown_of_features.resize(missing.of_features.size());
  data.visit_features([&](Index first, const auto& features) {
    for (Index row = 0; row < features.cols(); ++row) {
      const Index before = missing.num_values;
      for (Index i = 0; i < features.rows(); ++i) {
        const double value = features(i, row);
        if (std::isnan(value)) {
          ++missing.of_features[static_cast<std::size_t>(i)];
          ++missing.num_values;
        } else if (is_unknown(i, value)) {
          ++missing.unknown_of_features[static_cast<std::size_t>(i)];
          ++missing.num_unknown;
        }
      }
      if (lacks_label(first + row)) ++missing.num_values;
      if (missing.num_values != before) ++missing.num_rows;
    }
  });
  return missing;
}

/// Counts the values of a table that are missing, or unknown to a model.
///
/// \param data     numbers and codes of categories
/// \param columns  of the model   [at least 1]
/// \param rule     of the model
[[nodiscard]] inline MissingValues count_missing(
    const Dataset& data, const std::vector<InputColumn>& columns,
    UnknownRule rule) {
  const auto is_unknown = [&](Index feature, double value) {
    const InputColumn& column = columns[static_cast<std::size_t>(feature)];
    if (column.kind == ColumnKind::kNumber) return false;
    const auto code = static_cast<Index>(value);
    return code < 0 || code == unknown_code(column, rule);
  };
  MissingValues missing =
      count_values(data, is_unknown, [](Index /*instance*/) { return false; });
  missing.set_columns(missing.of_features);
  missing.most = detail::describe_input(
      columns, static_cast<std::size_t>(missing.most_column));
  missing.name_unknown([&](Index feature) {
    return detail::describe_input(columns, static_cast<std::size_t>(feature));
  });
  return missing;
}

/// Returns true if a column lacks values although the training has not learned what a
/// missing value means there: it has neither a feature nor a category for them.
[[nodiscard]] inline bool has_unlearned_missing(
    const MissingValues& missing, const std::vector<InputColumn>& columns) {
  for (std::size_t i = 0; i < missing.of_features.size(); ++i) {
    const auto& categories = columns[i].categories;
    const bool is_category = !categories.empty() && categories.front().empty();
    const bool is_learned =
        columns[i].extra == ExtraFeature::kMissing || is_category;
    if (missing.of_features[i] != 0 && !is_learned) return true;
  }
  return false;
}

/// Says that values are replaced, and where most of them are.
///
/// \param by  what replaces them
[[nodiscard]] inline std::string describe_replaced(const MissingValues& missing,
                                                   std::string_view by) {
  return count_of(missing.num_values, "missing value") + " in " +
         std::to_string(missing.num_rows) + " of " +
         count_of(missing.num_all_rows, "row") + " replaced by " +
         std::string(by) + "; most in " + missing.most + " (" +
         std::to_string(missing.num_most) + ')';
}

/// What replaces missing values in a table that a model scores.
inline constexpr std::string_view kValuesOfModel = "the values of the model";

/// Says as what a model takes categories that it does not have.
[[nodiscard]] inline std::string meaning_of_unknown(
    const std::vector<InputColumn>& columns) {
  return std::string("taken as ") +
         (has_extra_feature(columns, ExtraFeature::kOther)
              ? "others than its categories"
              : "none of its categories");
}

/// Says how categories that a model does not have are taken, and which columns have them.
///
/// \param columns  of the model
[[nodiscard]] inline std::string describe_unknown(
    const MissingValues& missing, const std::vector<InputColumn>& columns) {
  constexpr std::size_t kMostNamed = 5;
  std::string text = count_of(missing.num_unknown, "category value") +
                     " unknown to the model, " + meaning_of_unknown(columns);
  const std::size_t num_named = std::min(missing.unknown.size(), kMostNamed);
  for (std::size_t i = 0; i < num_named; ++i) {
    const UnknownCategories& one = missing.unknown[i];
    text += (i == 0 ? ": " : ", ") + std::to_string(one.num_values) + " in " +
            one.column;
  }
  const std::size_t num_more = missing.unknown.size() - num_named;
  if (num_more == 0) return text;
  return text + " and others in " +
         count_of(static_cast<Index>(num_more), "more column");
}

/// Warns of columns of categories that have no value that the model knows: they are
/// probably other columns, or their categories are written in another way.
///
/// \param columns  of the model
[[nodiscard]] inline std::vector<std::string> warn_of_unknown(
    const MissingValues& missing, const std::vector<InputColumn>& columns) {
  std::vector<std::string> warnings;
  for (const UnknownCategories& one : missing.unknown) {
    if (!one.are_all) continue;
    warnings.push_back("no value of " + one.column +
                       " is a category of the model: all " +
                       std::to_string(one.num_values) + " are unknown, " +
                       meaning_of_unknown(columns) +
                       ", so the predictions do not depend on them; expected "
                       "the categories of the training, written as there");
  }
  return warnings;
}

/// Returns true if all categories are codes of two capital letters.
[[nodiscard]] inline bool are_two_letter_codes(
    const std::vector<std::string>& categories) {
  const auto is_code = [](const std::string& text) {
    return text.size() == 2 && text[0] >= 'A' && text[0] <= 'Z' &&
           text[1] >= 'A' && text[1] <= 'Z';
  };
  return categories.size() > 1 &&
         std::all_of(categories.begin(), categories.end(), is_code);
}

/// Returns what is probably wrong with the rows that are left, or with the values
/// that replace missing ones.
///
/// \param rule      of the reader
/// \param is_known  a model, and not these rows, gives the values, or a feature says
///                  where they are missing
[[nodiscard]] inline std::vector<std::string> warn_of_missing(
    const MissingValues& missing, MissingRule rule, bool is_known) {
  std::vector<std::string> warnings;
  const auto is_most = [&](Index count) {
    return 2 * count > missing.num_all_rows;
  };
  const std::string all = " of " + std::to_string(missing.num_all_rows);
  if (rule == MissingRule::kDrop && is_most(missing.num_rows)) {
    warnings.push_back("more than half of the rows are left out, " +
                       std::to_string(missing.num_rows) + all +
                       ", because of missing values; most in " + missing.most +
                       " (" + std::to_string(missing.num_most) + ')');
  }
  const bool is_filled = rule == MissingRule::kMean && !is_known;
  if (is_filled && is_most(missing.num_most)) {
    const Index num_others = std::count_if(missing.of_features.begin(),
                                           missing.of_features.end(), is_most) -
                             1;
    warnings.push_back(
        missing.most + " has no value in more than half of the rows, " +
        std::to_string(missing.num_most) + all +
        ", which get the mean or the most frequent category of the others" +
        (num_others == 0
             ? ""
             : "; so do " + std::to_string(num_others) + " more columns"));
  }
  for (const std::string& column : missing.codes) {
    warnings.push_back(
        "'NA' in " + column +
        " is taken as missing, but its other values are codes "
        "of two letters; if NA is a code too, write it as another text, or "
        "choose other texts for missing values");
  }
  return warnings;
}

}  // namespace mlp::datasets
