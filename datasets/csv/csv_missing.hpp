// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../missing_values.hpp"
#include "../select.hpp"
#include "column_error.hpp"
#include "column_rules.hpp"
#include "csv_look_ahead.hpp"
#include "csv_options.hpp"
#include "layout/csv_layout.hpp"

/// Missing values among the rows of a CSV file, and rows without.
namespace mlp::datasets {

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
  const auto is_unknown = [&](Index slot, double value) {
    return rules.is_category(slot) &&
           rules.is_unknown(slot, static_cast<Index>(value));
  };
  Index num_labels = 0;
  MissingValues missing = count_values(data, is_unknown, [&](Index instance) {
    const bool is_missing = is_label_missing(data, instance);
    num_labels += is_missing ? 1 : 0;
    return is_missing;
  });
  std::vector<Index> counts;
  for (const Index slot : layout.slots) {
    counts.push_back(slot >= 0
                         ? missing.of_features[static_cast<std::size_t>(slot)]
                     : slot == kLabelSlot ? num_labels
                                          : 0);
  }
  missing.set_columns(counts);
  missing.most = describe_column(layout, missing.most_column);
  missing.name_unknown([&](Index slot) {
    return describe_column(layout, column_of_slot(layout, slot));
  });
  return missing;
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
