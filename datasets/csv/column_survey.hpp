// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include "csv_options.hpp"
#include "csv_scanner.hpp"
#include "layout/csv_guesses.hpp"
#include "layout/csv_layout.hpp"

/// What the columns of a CSV file have, for files that cannot be read as numbers.
namespace mlp::datasets {

/// The kinds of values of one column.
struct ColumnSurvey {
  /// Empty if the file has no header.
  std::string name;

  bool is_feature = false;
  bool is_label = false;

  Index num_numbers = 0;
  Index num_missing = 0;
  Index num_texts = 0;

  /// Numbers with commas, such as 1,234 and 3,14.
  Index num_with_commas = 0;

  /// Different texts and numbers, at most 1,001.
  std::set<std::string> values;
};

/// The columns of a file, and what was assumed about them.
struct CsvSurvey {
  std::vector<ColumnSurvey> columns;
  bool has_header = false;

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
  if (dialect.missing.has(field.text)) {
    ++column.num_missing;
    return;
  }
  const bool is_number = dialect.number(field.text).has_value() ||
                         parse_boolean(field.text).has_value();
  const bool has_commas =
      !is_number && comma_use(field.text) != CommaUse::kNone;
  column.num_numbers += is_number ? 1 : 0;
  column.num_with_commas += has_commas ? 1 : 0;
  column.num_texts += is_number || has_commas ? 0 : 1;
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

/// Looks at the values of all columns.
///
/// \param texts  of all files
inline CsvSurvey survey_columns(std::span<const std::string_view> texts,
                                const CsvLayout& layout) {
  CsvSurvey survey;
  survey.has_header = layout.has_header;
  survey.chosen_label = layout.label;
  survey.guesses = layout.guesses;
  survey.columns.resize(layout.slots.size() -
                        (layout.has_trailing_delimiter ? 1 : 0));
  for (std::size_t i = 0; i < survey.columns.size(); ++i) {
    ColumnSurvey& column = survey.columns[i];
    if (layout.has_header) column.name = layout.column_names[i];
    column.is_feature = layout.slots[i] >= 0;
    column.is_label = layout.slots[i] == kLabelSlot;
  }
  for (const std::string_view text : texts) {
    if (survey.has_more_rows) break;
    CsvScanner scanner(text, layout.dialect.delimiter, "");
    if (layout.has_header && scanner.next_record()) {
      do {
        static_cast<void>(scanner.read_field());
      } while (!scanner.record_ended());
    }
    survey_rows(scanner, layout, survey);
  }
  return survey;
}

}  // namespace detail

}  // namespace mlp::datasets
