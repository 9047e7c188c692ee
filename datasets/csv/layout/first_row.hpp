// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../reading/quoted.hpp"
#include "../csv_dialect.hpp"
#include "../csv_look_ahead.hpp"
#include "../csv_options.hpp"
#include "../csv_scanner.hpp"
#include "csv_header.hpp"

/// The first row of a CSV file, and how many columns the rows below have.
namespace mlp::datasets::detail {

/// The fields of the first row, one for each column of the rows below.
struct FirstRow {
  std::vector<std::string> cells;

  /// True if the row is a header without a field for the row names, as R's
  /// write.table() writes it; `cells` then starts with an empty name.
  bool lacks_row_names = false;

  /// True if each row ends with a delimiter; it makes no column.
  bool has_trailing_delimiter = false;
};

/// Returns true if each row below the first row of each text has one more field than
/// `size` columns, and it is empty.
inline bool ends_with_delimiters(std::span<const std::string_view> texts,
                                 char delimiter, std::size_t size) {
  bool has_rows = false;
  for (const std::string_view text : texts) {
    CsvLookAhead rows(text, delimiter);
    while (true) {
      const std::vector<std::string> fields = rows.next_texts();
      if (fields.empty()) break;
      if (fields.size() != size + 1 || !fields.back().empty()) return false;
      has_rows = true;
    }
  }
  return has_rows;
}

/// Refuses a comment: a first row with '#' that has another number of fields
/// than the second one.
inline void check_no_comment(const std::vector<std::string>& cells,
                             std::string_view text, const std::string& source) {
  if (cells.front().substr(0, 4) == "sep=") {
    throw DataError(
        source, FilePosition{1, 1},
        "the first line names the delimiter, as for Excel; expected "
        "the names of the columns or data; remove the line");
  }
  if (cells.front().substr(0, 1) != "#") return;
  const std::size_t line_end = text.find('\n');
  if (line_end == text.npos) return;
  const std::string_view rest = text.substr(line_end + 1);
  CsvScanner scanner(rest, sniff_delimiter(rest), source, 2);
  if (!scanner.next_record()) return;
  if (read_texts(scanner).size() == cells.size()) return;
  throw DataError(source, FilePosition{1, 1},
                  "the first line starts with '#'; comments are not read; "
                  "expected the names of the columns or data; remove the "
                  "line");
}

/// Returns true for a row of one text, its first field, that is no number.
inline bool has_one_text(const std::vector<std::string>& cells) {
  const auto is_empty = [](const std::string& cell) { return cell.empty(); };
  return !cells.front().empty() && !parse_double(cells.front()) &&
         std::all_of(cells.begin() + 1, cells.end(), is_empty);
}

/// Returns true if a text begins with names of at least two columns and, below them, a row
/// of as many fields, one of them a number.
inline bool begins_with_names(std::string_view text) {
  const char delimiter = sniff_delimiter(text);
  if (delimiter == ' ') return false;
  CsvLookAhead rows(text, delimiter, false);
  const std::vector<std::string> names = rows.next_texts();
  const std::vector<std::string> below = rows.next_texts();
  const auto is_name = [](const std::string& cell) {
    return look_of_field(cell) == FieldLook::kName;
  };
  const auto is_number = [](const std::string& cell) {
    return look_of_field(cell) == FieldLook::kNumber;
  };
  return names.size() > 1 && below.size() == names.size() &&
         std::all_of(names.begin(), names.end(), is_name) &&
         std::any_of(below.begin(), below.end(), is_number);
}

/// Refuses a title: a first row of one text above the names of the columns. Further titles
/// and empty lines may be between them. Names that only blanks separate are texts of one
/// column.
///
/// \param cells  of the first row of `text`
inline void check_no_title(const std::vector<std::string>& cells,
                           std::string_view text, const std::string& source) {
  constexpr std::size_t kMaxLines = 10;
  if (!has_one_text(cells)) return;
  for (std::size_t line = 2; line <= kMaxLines; ++line) {
    const std::size_t line_end = text.find('\n');
    if (line_end == text.npos) return;
    text.remove_prefix(line_end + 1);
    const bool is_blank_line =
        text.find_first_not_of("\r,; \t") == text.find('\n');
    if (is_blank_line) continue;
    if (begins_with_names(text)) {
      throw DataError(source, FilePosition{1, 1},
                      "the first line is a title, " + in_quotes(cells.front()) +
                          "; expected the names of the columns, which are in "
                          "line " +
                          std::to_string(line) + "; remove the lines above");
    }
    const std::vector<std::string> next =
        CsvLookAhead(text, sniff_delimiter(text), false).next_texts();
    if (next.empty() || !has_one_text(next)) return;
  }
}

/// Reads the first row.
///
/// \param cells      the fields of the first row of `text`
/// \param texts      all texts that are read as one, `text` among them
/// \param options    header; num_features: if the row has as many fields, the last
///                   one is a missing value
/// \cost   a look at two rows, or at all if the first ones end with a delimiter
inline FirstRow read_first_row(std::vector<std::string> cells,
                               std::string_view text,
                               std::span<const std::string_view> texts,
                               const CsvDialect& dialect,
                               const CsvOptions& options) {
  FirstRow row{std::move(cells)};
  const std::vector<std::string> below =
      CsvLookAhead(text, dialect.delimiter).next_texts();
  const std::size_t size = row.cells.size();
  const bool ends_empty =
      size > 1 && row.cells.back().empty() &&
      size != static_cast<std::size_t>(options.num_features);
  const auto is_number = [&](const std::string& cell) {
    return dialect.number(cell).has_value();
  };
  const bool may_be_header =
      options.header == HeaderRule::kYes ||
      (options.header == HeaderRule::kAuto &&
       std::none_of(row.cells.begin(), row.cells.end(), is_number));
  const bool has_one_more = may_be_header && below.size() == size + 1;
  if (ends_empty &&
      (below.empty() ||
       ends_with_delimiters(texts, dialect.delimiter, size - 1))) {
    row.cells.pop_back();
    row.has_trailing_delimiter = true;
  } else if (has_one_more && below.back().empty()) {
    row.has_trailing_delimiter =
        ends_with_delimiters(texts, dialect.delimiter, size);
  } else if (has_one_more) {
    row.cells.insert(row.cells.begin(), "");
    row.lacks_row_names = true;
  }
  return row;
}

}  // namespace mlp::datasets::detail
