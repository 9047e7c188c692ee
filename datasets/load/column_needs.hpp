// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../csv/csv_options.hpp"
#include "../input_column.hpp"
#include "../reading/quoted.hpp"
#include "data_files.hpp"

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

/// What options are about, and whether they are given.
using GivenOptions = std::initializer_list<std::pair<bool, const char*>>;

/// Throws if any option is given.
inline void refuse_options(GivenOptions options, const std::string& source,
                           const std::string& format) {
  for (const auto& [is_given, what] : options) {
    if (!is_given) continue;
    throw DataError(source, std::string(what) + " a CSV or TSV file, got " +
                                format + "; leave the option out");
  }
}

/// Throws if the options are about how a text writes its rows, for a format of columns.
///
/// \param format  the name of the format with its article
inline void check_no_text_layout(const CsvOptions& csv,
                                 const std::string& source,
                                 const std::string& format) {
  refuse_options({{csv.header == HeaderRule::kNo, "no header needs"},
                  {csv.delimiter != 0, "a delimiter needs"},
                  {csv.decimal != '.', "a decimal separator needs"}},
                 source, format);
}

/// Throws if the options are about columns, texts or missing values and the format
/// has none.
///
/// \param format  as for check_no_text_layout()
inline void check_no_columns(const CsvOptions& csv, const std::string& source,
                             const std::string& format) {
  refuse_options({{csv.header != HeaderRule::kAuto, "a header needs"}}, source,
                 format);
  check_no_text_layout(csv, source, format);
  refuse_options({{!csv.features.empty(), "chosen features need"},
                  {!csv.ignored.empty(), "ignored columns need"},
                  {!csv.kept.empty(), "kept columns need"},
                  {!csv.targets.empty(), "several labels need"},
                  {!csv.group.empty(), "groups need"}},
                 source, format);
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

/// Throws if folders give columns and the format has none.
///
/// \param format  as for check_no_text_layout()
inline void check_no_folders(const DataFiles& files, std::string_view format) {
  if (files.columns.empty()) return;
  throw DataError(files.paths.front(),
                  "is " + std::string(format) +
                      ", which cannot have the columns of folders, " +
                      quoted_list(files.columns.names) +
                      "; expected tables; name the folders that have the "
                      "files");
}

/// Throws if folders give columns, or the options are about those of tables, and the
/// format has none.
///
/// \param source  the name of a file in messages
/// \param format  as for check_no_text_layout()
inline void check_no_tables(const DataFiles& files, const CsvOptions& csv,
                            const std::string& source,
                            std::string_view format) {
  check_no_folders(files, format);
  check_no_columns(csv, source, std::string(format));
}

}  // namespace mlp::datasets::detail
