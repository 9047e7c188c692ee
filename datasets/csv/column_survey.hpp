// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../reading/comma_number.hpp"
#include "csv_dialect.hpp"
#include "csv_look_ahead.hpp"
#include "csv_options.hpp"
#include "csv_scanner.hpp"
#include "layout/csv_guesses.hpp"
#include "layout/csv_layout.hpp"
#include "number_advice.hpp"

/// What the columns of a CSV file have, for files that cannot be read as numbers.
namespace mlp::datasets {

/// The kinds of values of one column.
struct ColumnSurvey {
  /// Empty if the file has no header.
  std::string name;

  /// In the file, where a vector is one column.
  Index index = 0;

  /// What the values are if no reader takes them for numbers or texts, such as "lists"; they
  /// count as texts.
  std::string what;

  bool is_feature = false;
  bool is_label = false;

  Index num_numbers = 0;
  Index num_missing = 0;
  Index num_texts = 0;

  /// Numbers with commas, such as 1,234 and 3,14.
  Index num_with_commas = 0;

  /// Of these, those whose comma can only separate decimals.
  Index num_decimal_commas = 0;

  /// Numbers with a decimal point.
  Index num_with_points = 0;

  /// Texts such as $680.00, 50% and dates.
  Index num_with_signs = 0;

  /// Different texts that are no numbers, at most 11.
  std::set<std::string> texts;

  /// Different texts and numbers, at most 1,001.
  std::set<std::string> values;
};

/// The columns of a file, and what was assumed about them.
struct CsvSurvey {
  std::vector<ColumnSurvey> columns;
  bool has_header = false;
  bool is_of_table = false;  ///< of a format such as Parquet

  /// At most 100,000; more rows are not looked at.
  Index num_rows = 0;
  bool has_more_rows = false;

  std::optional<ChosenLabel> chosen_label;
  CsvGuesses guesses;
};

namespace detail {

/// Counts one value of a column.
inline void survey_value(ColumnSurvey& column, const CsvField& field,
                         const CsvDialect& dialect) {
  constexpr std::size_t kMaxValues = 1001;
  if (dialect.is_missing(field.text)) {
    ++column.num_missing;
    return;
  }
  const bool is_number = dialect.number(field.text).has_value() ||
                         parse_boolean(field.text).has_value();
  const bool has_commas =
      !is_number && comma_use(field.text) != CommaUse::kNone;
  column.num_numbers += is_number ? 1 : 0;
  column.num_with_commas += has_commas ? 1 : 0;
  column.num_decimal_commas +=
      has_commas && comma_use(field.text) == CommaUse::kDecimals ? 1 : 0;
  column.num_with_points +=
      is_number && field.text.find('.') != field.text.npos ? 1 : 0;
  if (!is_number && !has_commas) {
    constexpr std::size_t kMaxTexts = 11;
    ++column.num_texts;
    if (column.texts.size() < kMaxTexts) column.texts.insert(field.value());
    const bool has_sign =
        is_date(field.text) || !without_sign(field.text).empty();
    column.num_with_signs += has_sign ? 1 : 0;
  }
  if (column.values.size() < kMaxValues) column.values.insert(field.value());
}

/// Counts the values of the rows. A wrong row ends the look.
inline void survey_rows(CsvScanner& scanner, const CsvLayout& layout,
                        CsvSurvey& survey) try {
  constexpr Index kMaxRows = 100'000;
  while (scanner.next_record()) {
    if (survey.num_rows == kMaxRows) {
      survey.has_more_rows = true;
      return;
    }
    std::size_t at = 0;
    do {
      const CsvField field = scanner.read_field();
      if (at < survey.columns.size()) {
        survey_value(survey.columns[at], field, layout.dialect);
      }
      ++at;
    } while (!scanner.record_ended());
    if (at != layout.slots.size()) return;
    ++survey.num_rows;
  }
} catch (const DataError&) {
  survey.has_more_rows = true;
}

/// Returns other columns than a default label that may be the label: features of texts
/// or integers with 2 to 30 different values in the first 1,000 rows that repeat.
///
/// \returns at most three, by name or index; none if there are many or few rows
inline std::vector<std::string> find_other_labels(
    std::span<const std::string_view> texts, const CsvLayout& layout) {
  constexpr std::size_t kMostColumns = 100;
  constexpr std::size_t kMostFound = 20;
  constexpr std::size_t kMostNamed = 3;
  constexpr std::size_t kMostValues = 30;
  constexpr Index kMostRows = 1000;
  constexpr Index kFewestRows = 20;
  if (layout.slots.size() > kMostColumns || texts.empty()) return {};
  std::vector<std::set<std::string>> values(layout.slots.size());
  std::vector<bool> may_be(layout.slots.size());
  for (std::size_t i = 0; i < may_be.size(); ++i) {
    may_be[i] = layout.slots[i] >= 0;
  }
  Index num_rows = 0;
  CsvLookAhead rows(texts.front(), layout.dialect.delimiter);
  for (; num_rows < kMostRows; ++num_rows) {
    const std::vector<std::string> fields = rows.next_texts();
    if (fields.size() != layout.slots.size()) break;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!may_be[i] || layout.dialect.is_missing(fields[i])) continue;
      const bool is_fraction =
          !parse_int(fields[i]) && layout.dialect.number(fields[i]).has_value();
      values[i].insert(fields[i]);
      may_be[i] = !is_fraction && values[i].size() <= kMostValues;
    }
  }
  std::vector<std::string> found;
  for (std::size_t i = 0; i < may_be.size(); ++i) {
    const bool repeats = 2 * static_cast<Index>(values[i].size()) <= num_rows;
    if (!may_be[i] || values[i].size() < 2 || !repeats) continue;
    const bool has_name = layout.has_header && !layout.column_names[i].empty();
    if (!has_name && layout.is_of_table) continue;  // its index is another one
    found.push_back(
        has_name ? layout.column_names[i]
                 : std::to_string(layout.index_of(static_cast<Index>(i))));
  }
  if (num_rows < kFewestRows || found.size() > kMostFound) return {};
  found.resize(std::min(found.size(), kMostNamed));
  return found;
}

/// Looks at the values of all columns.
///
/// \param texts  of all files
inline CsvSurvey survey_columns(std::span<const std::string_view> texts,
                                const CsvLayout& layout) {
  CsvSurvey survey;
  survey.has_header = layout.has_header;
  survey.is_of_table = layout.is_of_table;
  survey.chosen_label = layout.label_of_file();
  survey.guesses = layout.guesses_of_file();
  if (layout.label && layout.label->is_default) {
    survey.guesses.other_labels = find_other_labels(texts, layout);
  }
  survey.columns.resize(layout.slots.size() -
                        (layout.has_trailing_delimiter ? 1 : 0));
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    ColumnSurvey& column = survey.columns[i];
    column.index = layout.index_of(static_cast<Index>(i));
    if (layout.has_header) column.name = layout.column_names[i];
    column.is_feature = layout.slots[i] >= 0;
    column.is_label = layout.slots[i] == kLabelSlot;
  }
  for (const std::string_view text : texts) {
    if (survey.has_more_rows) break;
    CsvScanner scanner(text, layout.dialect.delimiter, "");
    if (layout.has_header && scanner.next_record()) {
      static_cast<void>(read_texts(scanner));
    }
    survey_rows(scanner, layout, survey);
  }
  return survey;
}

}  // namespace detail

}  // namespace mlp::datasets
