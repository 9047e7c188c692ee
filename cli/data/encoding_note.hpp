// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/csv/missing_values.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/load.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

/// Returns "1 row" or "2 rows".
[[nodiscard]] inline std::string count_of(Index count,
                                          const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

/// Says what becomes of the missing values of a file, as the end of a sentence.
[[nodiscard]] inline std::string describe_missing(
    const datasets::MissingValues& missing, const datasets::CsvOptions& csv) {
  const std::string rows = std::to_string(missing.num_rows) + " of " +
                           count_of(missing.num_all_rows, "row");
  const std::string most = "; most in " + missing.most + " (" +
                           std::to_string(missing.num_most) + ')';
  if (missing.num_values == 0) return "no value is missing";
  if (csv.missing == datasets::MissingRule::kDrop) {
    return rows + " left out, because of missing values" + most;
  }
  return count_of(missing.num_values, "missing value") + " in " + rows +
         " replaced by " +
         (csv.columns.empty()
              ? "the mean, or the most frequent category, of the training rows"
              : "the values of the model") +
         most;
}

/// Notes how many values of a file are missing or unknown, and what becomes of
/// them.
inline void note_missing(const Console& console,
                         const datasets::LoadedData& loaded,
                         const datasets::CsvOptions& csv) {
  const datasets::MissingValues& missing = loaded.missing;
  const std::string start = loaded.dataset.source + ": ";
  if (csv.missing != datasets::MissingRule::kRefuse ||
      missing.num_values != 0) {
    console.note(start + describe_missing(missing, csv));
  }
  if (missing.num_unknown != 0) {
    console.note(start + count_of(missing.num_unknown, "category value") +
                 " unknown to the model, taken as none of its categories");
  }
}

/// Notes which columns are encoded, and how wide the rows become.
inline void note_encoding(const Console& console,
                          const std::vector<datasets::InputColumn>& columns,
                          bool is_one_hot) {
  if (is_one_hot && !datasets::has_categories(columns)) {
    console.note("--one-hot has no effect: no column has texts");
  }
  constexpr std::size_t kMaxShown = 10;
  std::string list;
  std::size_t count = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].kind == datasets::ColumnKind::kNumber) continue;
    if (++count > kMaxShown) continue;
    const std::string name = columns[i].name.empty()
                                 ? std::to_string(i)
                                 : datasets::in_quotes(columns[i].name);
    list += (list.empty() ? "" : ", ") + name + " (" +
            std::to_string(columns[i].categories.size()) + ')';
  }
  if (count == 0) return;
  if (count > kMaxShown) {
    list += " and " + std::to_string(count - kMaxShown) + " more";
  }
  console.note("one-hot: each category is a feature, of the columns " + list +
               "; " + count_of(static_cast<Index>(columns.size()), "column") +
               " become " +
               count_of(datasets::count_features(columns), "feature"));
}

}  // namespace mlp::cli
