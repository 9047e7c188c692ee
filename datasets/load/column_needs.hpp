// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../csv/csv_options.hpp"
#include "../input_column.hpp"
#include "../reading/quoted.hpp"

/// Options that only files with columns can meet.
namespace mlp::datasets::detail {

/// Returns what the options say about texts or missing values, which only CSV files
/// have; empty if they say nothing.
inline std::string text_options(const CsvOptions& csv) {
  if (has_categories(csv.columns)) {
    return "the categories of the model must be texts";
  }
  if (csv.one_hot.is_on() && !csv.one_hot.is_default) {
    return "columns of categories must be those";
  }
  if (csv.missing == MissingRule::kRefuse || csv.is_missing_default) return "";
  return "missing values must be those";
}

/// Throws if the options are about columns, texts or missing values and the format
/// has none.
///
/// \param format  the name of the format with its article
inline void check_no_columns(const CsvOptions& csv, const std::string& source,
                             const std::string& format) {
  for (const auto& [is_given, what] :
       {std::pair(csv.header != HeaderRule::kAuto, "a header needs"),
        std::pair(csv.delimiter != 0, "a delimiter needs"),
        std::pair(csv.decimal != '.', "a decimal separator needs"),
        std::pair(!csv.features.empty(), "chosen features need"),
        std::pair(!csv.ignored.empty(), "ignored columns need"),
        std::pair(!csv.kept.empty(), "kept columns need"),
        std::pair(!csv.targets.empty(), "several labels need"),
        std::pair(!csv.group.empty(), "groups need")}) {
    if (!is_given) continue;
    throw DataError(source, std::string(what) + " a CSV or TSV file, got " +
                                format + "; leave the option out");
  }
  const std::string texts = text_options(csv);
  if (!texts.empty()) {
    throw DataError(source, texts + " of a CSV or TSV file, got " + format +
                                ", which cannot store texts; convert it");
  }
  if (csv.weight.empty()) return;
  throw DataError(source, "the weight column " + in_quotes(csv.weight) +
                              " must be one of a CSV or TSV file, got " +
                              format +
                              ", which cannot store weights; convert it");
}

}  // namespace mlp::datasets::detail
