// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../select.hpp"
#include "column_error.hpp"
#include "column_rules.hpp"
#include "csv_look_ahead.hpp"
#include "csv_options.hpp"
#include "layout/csv_layout.hpp"

/// Missing values among the rows of a CSV file: their number, and rows without.
namespace mlp::datasets {

/// How many values of a file a reader found missing, or unknown to a model.
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

  /// Columns of codes of two letters whose 'NA' was taken as missing, such as
  /// "column 'country'".
  std::vector<std::string> codes;
};

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
        "of two letters; if NA is a code too, choose other texts "
        "for missing values");
  }
  return warnings;
}

namespace detail {

/// Returns true if the label of a row is missing: NaN, or an empty text.
inline bool is_label_missing(const Dataset& data, Index row) {
  if (!data.label_texts.empty()) {
    return data.label_texts[static_cast<std::size_t>(row)].empty();
  }
  return data.labels.size() != 0 && std::isnan(data.labels[row]);
}

/// Counts what is missing. The features are codes of categories or numbers.
///
/// \param rules  of the reader
inline MissingValues count_missing(const Dataset& data, const CsvLayout& layout,
                                   const ColumnRules& rules) {
  MissingValues missing;
  missing.num_all_rows = data.num_instances();
  std::vector<Index> counts(layout.slots.size());
  const auto count_row = [&](Index row, const auto& values) {
    const Index before = missing.num_values;
    for (std::size_t column = 0; column < layout.slots.size(); ++column) {
      const Index slot = layout.slots[column];
      const bool is_label = slot == kLabelSlot;
      if (slot < 0 && !is_label) continue;
      const bool is_missing =
          is_label ? is_label_missing(data, row) : std::isnan(values[slot]);
      counts[column] += is_missing ? 1 : 0;
      missing.num_values += is_missing ? 1 : 0;
      if (is_missing || is_label || !rules.is_category(slot)) continue;
      const auto code = static_cast<Index>(values[slot]);
      missing.num_unknown += rules.is_unknown(slot, code) ? 1 : 0;
    }
    if (missing.num_values != before) ++missing.num_rows;
  };
  data.visit_features([&](Index first, const auto& features) {
    for (Index row = 0; row < features.cols(); ++row) {
      count_row(first + row, features.col(row));
    }
  });
  missing.of_features.resize(static_cast<std::size_t>(layout.num_features));
  for (std::size_t column = 0; column < counts.size(); ++column) {
    const Index slot = layout.slots[column];
    if (slot < 0) continue;
    missing.of_features[static_cast<std::size_t>(slot)] = counts[column];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  missing.num_most = *most;
  missing.most_column = most - counts.begin();
  missing.most = describe_column(layout, missing.most_column);
  missing.num_columns = std::count_if(counts.begin(), counts.end(),
                                      [](Index count) { return count != 0; });
  return missing;
}

/// Returns true if all categories are codes of two capital letters.
inline bool are_two_letter_codes(const std::vector<std::string>& categories) {
  const auto is_code = [](const std::string& text) {
    return text.size() == 2 && text[0] >= 'A' && text[0] <= 'Z' &&
           text[1] >= 'A' && text[1] <= 'Z';
  };
  return categories.size() > 1 &&
         std::all_of(categories.begin(), categories.end(), is_code);
}

/// Finds the columns of codes of two letters that have 'NA' as a missing value.
class MissingCodes {
 public:
  /// \param layout  must outlive this object
  MissingCodes(const CsvLayout& layout, const ColumnRules& rules,
               const MissingValues& missing)
      : layout_(layout) {
    if (layout.dialect.missing.given()) return;
    for (std::size_t i = 0; i < layout.slots.size(); ++i) {
      const Index slot = layout.slots[i];
      if (slot < 0 || !rules.is_category(slot)) continue;
      if (missing.of_features[static_cast<std::size_t>(slot)] == 0) continue;
      if (are_two_letter_codes(rules.categories(slot))) {
        columns_.emplace_back(static_cast<Index>(i), false);
      }
    }
  }

  /// Returns true if texts must be looked at.
  [[nodiscard]] bool may_have_any() const { return !columns_.empty(); }

  /// \param begins_file  true if the first row may be a header
  void look_at(std::string_view text, bool begins_file) {
    for (auto& [column, has_code] : columns_) {
      if (has_code) continue;
      CsvLookAhead rows(text, layout_.dialect.delimiter, begins_file);
      while (const auto value = rows.next(column)) {
        has_code = has_code || *value == "NA";
        if (has_code) break;
      }
    }
  }

  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> names;
    for (const auto& [column, has_code] : columns_) {
      if (has_code) names.push_back(describe_column(layout_, column));
    }
    return names;
  }

 private:
  const CsvLayout& layout_;
  std::vector<std::pair<Index, bool>> columns_;  // and whether they have one
};

/// Refuses a column without any value: neither rows nor a mean are left.
///
/// \throws DataError naming the column with most missing values
inline void check_any_value(const MissingValues& missing,
                            const std::string& source) {
  if (missing.num_all_rows == 0 || missing.num_most != missing.num_all_rows) {
    return;
  }
  throw ColumnError(source, FilePosition{}, missing.most_column,
                    missing.most + " has no value in any of the " +
                        std::to_string(missing.num_all_rows) +
                        " rows; leave the column out");
}

/// \throws DataError for a table without rows
inline void require_rows(const Dataset& data, Index num_kept) {
  if (num_kept != 0) return;
  throw DataError(data.source,
                  "each of the " + std::to_string(data.num_instances()) +
                      " rows has a missing value; expected a row without "
                      "one; leave out the columns that have most of them");
}

/// Does what drop_missing_rows() does for features in a file, where they stay.
inline void drop_missing_rows_of_file(Dataset& data) {
  std::vector<Index> kept;
  data.visit_features([&](Index first, const auto& features) {
    for (Index row = 0; row < features.cols(); ++row) {
      if (features.col(row).hasNaN()) continue;
      if (!is_label_missing(data, first + row)) kept.push_back(first + row);
    }
  });
  require_rows(data, static_cast<Index>(kept.size()));
  auto spellings = std::move(data.label_spellings);
  data = select(data, kept);
  data.label_spellings = std::move(spellings);
}

/// Leaves out the rows with a missing feature or label; keeps the order.
///
/// \throws DataError if no row is left
inline void drop_missing_rows(Dataset& data) {
  if (data.stored) return drop_missing_rows_of_file(data);
  Index kept = 0;
  for (Index row = 0; row < data.num_instances(); ++row) {
    if (data.features.col(row).hasNaN() || is_label_missing(data, row))
      continue;
    const auto from = static_cast<std::size_t>(row);
    const auto to = static_cast<std::size_t>(kept);
    if (kept != row) {
      data.features.col(kept) = data.features.col(row);
      data.lines[to] = data.lines[from];
      if (data.labels.size() != 0) data.labels[kept] = data.labels[row];
      if (data.weights.size() != 0) data.weights[kept] = data.weights[row];
      if (!data.label_texts.empty()) {
        data.label_texts[to] = std::move(data.label_texts[from]);
      }
    }
    ++kept;
  }
  require_rows(data, kept);
  data.features.conservativeResize(Eigen::NoChange, kept);
  data.lines.resize(static_cast<std::size_t>(kept));
  if (data.labels.size() != 0) data.labels.conservativeResize(kept);
  if (data.weights.size() != 0) data.weights.conservativeResize(kept);
  if (!data.label_texts.empty()) {
    data.label_texts.resize(static_cast<std::size_t>(kept));
  }
}

}  // namespace detail

}  // namespace mlp::datasets
