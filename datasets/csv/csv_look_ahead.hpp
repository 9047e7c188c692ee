// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "csv_scanner.hpp"

/// A look at the rows of CSV text before they are read.
namespace mlp::datasets::detail {

/// Returns the record that the scanner moved to.
inline std::vector<std::string> read_texts(CsvScanner& scanner) {
  std::vector<std::string> texts;
  do {
    texts.push_back(scanner.read_field().value());
  } while (!scanner.record_ended());
  return texts;
}

/// Reads single columns of the rows below the first one, or of all rows. Wrong rows end
/// the look: the reader reports them.
class CsvLookAhead {
 public:
  CsvLookAhead(std::string_view text, char delimiter, bool skips_first = true)
      : text_(text), scanner_(text, delimiter, "") {
    if (skips_first) static_cast<void>(next_texts());
  }

  /// Moves to the next record and returns the text of one of its columns.
  ///
  /// \returns nothing at the end, or if a record is wrong or too short
  [[nodiscard]] std::optional<std::string> next(Index column) try {
    if (!scanner_.next_record()) {
      is_at_end_ = true;
      return std::nullopt;
    }
    std::optional<std::string> text;
    for (Index i = 0; i <= column; ++i) {
      const CsvField field = scanner_.read_field();
      if (i == column) text = field.value();
      if (scanner_.record_ended()) return i == column ? text : std::nullopt;
    }
    skip_rest();
    return text;
  } catch (const DataError&) {
    return std::nullopt;
  }

  /// Returns the end of what was read.
  [[nodiscard]] const char* next_byte() const { return scanner_.next_byte(); }

  /// Returns the fields of the next record; empty at the end, or if it is wrong.
  [[nodiscard]] std::vector<std::string> next_texts() try {
    if (!scanner_.next_record()) return {};
    return read_texts(scanner_);
  } catch (const DataError&) {
    return {};
  }

  /// Returns true if next() has seen all records.
  [[nodiscard]] bool is_at_end() const { return is_at_end_; }

 private:
  void skip_rest() {
    if (!has_quotes_) has_quotes_ = text_.find('"') != text_.npos;
    if (!*has_quotes_) return scanner_.skip_line();
    do {
      static_cast<void>(scanner_.read_field());
    } while (!scanner_.record_ended());
  }

  std::string_view text_;

  /// Found when it is first needed, because it takes a look at the whole text.
  std::optional<bool> has_quotes_;
  bool is_at_end_ = false;
  CsvScanner scanner_;
};

/// Returns the position of a field.
///
/// \param line  the line on which its record starts
/// \pre    the records up to this line have no error
inline FilePosition find_field(std::string_view text, char delimiter,
                               std::size_t line, Index column) {
  CsvScanner scanner(text, delimiter, "");
  while (scanner.next_record()) {
    Index at = 0;
    do {
      const CsvField field = scanner.read_field();
      const bool is_wanted = scanner.record_line() == line && at == column;
      if (is_wanted) return field.position;
      ++at;
    } while (!scanner.record_ended());
  }
  return {line, 1};
}

/// Returns true if a text occurs below the first row of its column, or if there
/// are no rows below.
inline bool occurs_below(std::string_view text, char delimiter, Index column,
                         const std::string& value) {
  CsvLookAhead rows(text, delimiter);
  bool has_rows = false;
  while (const auto below = rows.next(column)) {
    if (*below == value) return true;
    has_rows = true;
  }
  return !has_rows;
}

/// Returns true if two rows below the first one have the same text in a column.
inline bool has_repetition(std::string_view text, char delimiter,
                           Index column) {
  CsvLookAhead rows(text, delimiter);
  std::unordered_set<std::string> values;
  while (auto value = rows.next(column)) {
    if (!values.insert(std::move(*value)).second) return true;
  }
  return false;
}

}  // namespace mlp::datasets::detail
