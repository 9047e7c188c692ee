// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/comma_number.hpp"
#include "../reading/label_spellings.hpp"
#include "../reading/quoted.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "column_error.hpp"
#include "column_rules.hpp"
#include "csv_dialect.hpp"
#include "csv_look_ahead.hpp"
#include "csv_scanner.hpp"
#include "layout/csv_header.hpp"
#include "layout/csv_layout.hpp"
#include "number_advice.hpp"

/// Reader for consecutive rows of a CSV file.
namespace mlp::datasets::detail {

/// The instances read from a CSV file.
struct CsvInstances {
  /// Its feature matrix has a column for every possible instance that is not stored.
  Dataset data;

  /// The first instances, whose features are in a file.
  Index num_stored = 0;

  /// The labels if they are numbers; otherwise data has the texts.
  std::vector<double> labels;
  bool labels_are_texts = false;
  LabelSpellings spellings;

  /// Empty if no column has the weights.
  std::vector<double> weights;

  /// What else than numbers the features may be.
  ColumnRules rules;
};

/// Stored for a feature or a label that is missing.
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Stores an element at an index, and appends it if the index is the size.
template <typename Value>
void store(std::vector<Value>& values, Index at, Value value) {
  if (static_cast<std::size_t>(at) == values.size()) {
    values.push_back(std::move(value));
  } else {
    values[static_cast<std::size_t>(at)] = std::move(value);
  }
}

/// Reads consecutive rows of a CSV file.
///
/// Several readers may write to the same instances at the same time if these
/// have space for all rows.
class CsvRowReader {
 public:
  /// \param piece      starts with a row or the header
  /// \param layout     must outlive this object
  /// \param instances  must outlive this object
  /// \param first_row  index of the first row's instance
  /// \param file       the file of the piece, which must outlive this object; null
  ///                   if the instances have only one
  CsvRowReader(const TextPiece& piece, const CsvLayout& layout,
               CsvInstances& instances, Index first_row,
               const SourceFile* file = nullptr)
      : layout_(layout),
        instances_(instances),
        has_plain_numbers_(layout.dialect.has_plain_numbers()),
        source_(file ? file->name : instances.data.source),
        lines_before_(file ? file->lines_before : 0),
        scanner_(piece.text, layout.dialect.delimiter, source_,
                 piece.first_line),
        row_(first_row) {
    if (layout.is_of_table) scanner_.count_records();
    find_runs();
  }

  /// Skips one record, such as the header.
  void skip_record() {
    if (scanner_.next_record()) static_cast<void>(read_texts(scanner_));
  }

  /// Reads a row.
  ///
  /// \returns false at the end of the text or if has_odd_label() is true
  /// \throws DataError if a row or field is wrong
  bool read_row() {
    if (!scanner_.next_record()) return false;
    double* const instance = row_begin();
    const Index last = layout_.num_columns() - 1;
    for (Index column = 0; column <= last; ++column) {
      const std::size_t at = static_cast<std::size_t>(column);
      if (run_lengths_[at] != 0) {
        column += scanner_.read_numbers(instance + layout_.slots[at],
                                        run_lengths_[at]);
      }
      read_column(column, instance);
      if (scanner_.record_ended() != (column == last)) throw_ragged(column + 1);
    }
    if (has_odd_label_) return false;
    store(instances_.data.lines, row_,
          lines_before_ + static_cast<Index>(scanner_.record_line()));
    ++row_;
    return true;
  }

  /// Returns true if the label of the last row is a text although labels are
  /// read as numbers. All labels must then be read again as texts.
  [[nodiscard]] bool has_odd_label() const { return has_odd_label_; }

  /// Returns the index of the next row's instance.
  [[nodiscard]] Index next_row() const { return row_; }

  /// Returns the number of empty lines between the rows so far.
  [[nodiscard]] Index num_empty_lines() const {
    return scanner_.num_empty_lines();
  }

  /// The spellings of the labels of the rows that were read.
  [[nodiscard]] const LabelSpellings& spellings() const { return spellings_; }

  [[nodiscard]] const char* next_byte() const { return scanner_.next_byte(); }
  [[nodiscard]] std::size_t next_line() const { return scanner_.next_line(); }

 private:
  /// Counts for each column how many columns from it on are consecutive
  /// features that can be read together. The last column of a row is never
  /// included.
  void find_runs() {
    const std::vector<Index>& slots = layout_.slots;
    run_lengths_.assign(slots.size(), 0);
    if (!has_plain_numbers_) return;
    for (std::size_t i = slots.size() - 1; i-- > 0;) {
      if (slots[i] < 0 || instances_.rules.is_category(slots[i])) continue;
      const bool goes_on = slots[i + 1] == slots[i] + 1;
      run_lengths_[i] = 1 + (goes_on ? run_lengths_[i + 1] : 0);
    }
  }

  /// Returns the memory for a row. A row without a reserved column has too few
  /// fields, so its values are not used.
  double* row_begin() {
    Matrix& features = instances_.data.features;
    const Index at = row_ - instances_.num_stored;
    if (at < features.cols()) return features.col(at).data();
    excess_row_.resize(static_cast<std::size_t>(layout_.num_features));
    return excess_row_.data();
  }

  void read_column(Index column, double* instance) {
    const Index slot = layout_.slots[static_cast<std::size_t>(column)];
    if (slot >= 0 && instances_.rules.is_category(slot)) {
      read_category(column, slot, instance[slot]);
    } else if (slot >= 0) {
      read_feature(column, slot, instance[slot]);
    } else if (slot == kLabelSlot) {
      read_label(column);
    } else if (slot == kWeightSlot) {
      read_weight(column);
    } else {
      const CsvField field = scanner_.read_field();
      const bool is_behind =
          layout_.has_trailing_delimiter && column + 1 == layout_.num_columns();
      if (is_behind && !field.text.empty()) throw_behind(field);
    }
  }

  [[noreturn]] void throw_behind(const CsvField& field) const {
    throw DataError(
        source_, field.position,
        "expected nothing behind the last delimiter, as in the rows "
        "before, got " +
            in_quotes(field.value()) +
            "; give the column a name in the first row, or remove "
            "it");
  }

  void read_feature(Index column, Index slot, double& value) {
    if (has_plain_numbers_ && scanner_.read_number(value)) return;
    const CsvField field = scanner_.read_field();
    const auto number = layout_.dialect.number(field.text);
    const bool is_value = number && !is_missing_number(*number);
    value = is_value ? *number : read_no_number(field, column, slot);
  }

  [[nodiscard]] bool is_missing_number(double number) const {
    return layout_.dialect.missing.has_number(number);
  }

  /// Returns what is stored for a field of a feature that is not a number.
  double read_no_number(const CsvField& field, Index column, Index slot) {
    ColumnRules& rules = instances_.rules;
    if (layout_.dialect.is_missing(field.text)) {
      if (rules.may_be_missing(slot)) return kMissing;
      throw_no_number(field, column);
    }
    if (const auto boolean = parse_boolean(field.text)) {
      rules.take_boolean(slot);
      return *boolean;
    }
    check_no_header(field, column);
    if (rules.takes_texts() && !layout_.dialect.is_other_number(field.text)) {
      rules.take_text(slot);
      return 0.0;
    }
    throw_no_number(field, column);
  }

  void read_category(Index column, Index slot, double& value) {
    const CsvField field = scanner_.read_field();
    ColumnRules& rules = instances_.rules;
    if (layout_.dialect.is_missing(field.text)) {
      if (!rules.may_be_missing(slot)) throw_no_number(field, column);
      value = kMissing;
      return;
    }
    check_no_header(field, column);
    check_decimal(field, column);
    const Index code =
        find_code(slot, layout_.dialect.with_point(field.value()));
    if (code < 0 && rules.refuses_unknown()) throw_unknown(field, column, slot);
    value = static_cast<double>(code);
  }

  /// Returns the code of a category. The codes that this reader has met are found
  /// without waiting for other readers.
  Index find_code(Index slot, const std::string& text) {
    if (codes_.empty()) {
      codes_.resize(static_cast<std::size_t>(layout_.num_features));
    }
    auto& codes = codes_[static_cast<std::size_t>(slot)];
    const auto found = codes.find(text);
    if (found != codes.end()) return found->second;
    const Index code = instances_.rules.code_of(slot, text);
    if (codes.size() < kMaxCategories) codes.emplace(text, code);
    return code;
  }

  void read_label(Index column) {
    double value = 0.0;
    const bool is_text = instances_.labels_are_texts;
    const char* const begin = scanner_.next_byte();
    if (!is_text && has_plain_numbers_ && scanner_.read_number(value)) {
      note_spelling(value, begin);
      return store(instances_.labels, row_, value);
    }
    const CsvField field = scanner_.read_field();
    const CsvDialect& dialect = layout_.dialect;
    if (instances_.rules.drops_rows() && dialect.is_missing(field.text)) {
      if (is_text) return store(instances_.data.label_texts, row_, {});
      return store(instances_.labels, row_, kMissing);
    }
    if (is_missing_label(field.text)) throw_no_number(field, column);
    const bool is_name = starts_as_name(field.text) && !dialect.missing.given();
    const auto number = is_name ? std::nullopt : dialect.number(field.text);
    if (number && !is_text) {
      const bool has_comma = field.text.find(',') != field.text.npos;
      const bool is_unusual = !has_comma && !is_plain_integer(field.text);
      if (is_unusual) spellings_.add(*number, field.text);
      return store(instances_.labels, row_, *number);
    }
    check_no_header(field, column);
    if (!is_text && dialect.is_other_number(field.text)) {
      throw_no_number(field, column);
    }
    check_decimal(field, column);
    has_odd_label_ = !is_text;
    if (!is_text) return;
    store(instances_.data.label_texts, row_, dialect.with_point(field.value()));
  }

  /// Refuses a text such as 1.234 where decimals have a comma: a text is stored with a
  /// point, as 1,234 would be.
  void check_decimal(const CsvField& field, Index column) {
    const CsvDialect& dialect = layout_.dialect;
    if (dialect.decimal == ',' && dialect.is_other_number(field.text)) {
      throw_no_number(field, column);
    }
  }

  /// Returns true for a label that no class can have: one that says that it is
  /// missing, or is not finite. A class may be named like some of the default texts
  /// for missing values.
  [[nodiscard]] bool is_missing_label(std::string_view text) const {
    const MissingTexts& missing = layout_.dialect.missing;
    if (missing.given()) {
      return layout_.dialect.is_missing(text) || is_not_finite(text);
    }
    return !starts_as_name(text) && (is_missing(text) || is_not_finite(text));
  }

  /// Refuses a row that repeats the header.
  ///
  /// \param field  of this column; the header is only compared if it has this name
  void check_no_header(const CsvField& field, Index column) const {
    if (!layout_.has_header || layout_.is_of_table) return;
    const std::vector<std::string>& names = layout_.column_names;
    if (field.text.empty() ||
        field.text != names[static_cast<std::size_t>(column)]) {
      return;
    }
    CsvScanner scanner(scanner_.record_text(), layout_.dialect.delimiter, "");
    if (!scanner.next_record()) return;
    const std::vector<std::string> fields = read_texts(scanner);
    const std::ptrdiff_t first = layout_.lacks_row_names ? 1 : 0;
    if (!std::equal(fields.begin(), fields.end(), names.begin() + first,
                    names.end())) {
      return;
    }
    throw DataError(source_, FilePosition{scanner_.record_line(), 1},
                    "this line repeats the header; expected a row of data; if "
                    "several files were joined into one, remove the other "
                    "headers, or give the files one by one");
  }

  /// Remembers how a label was written.
  ///
  /// \param begin  of its field, which has been read
  void note_spelling(double number, const char* begin) {
    const std::string_view rest(
        begin, static_cast<std::size_t>(scanner_.next_byte() - begin));
    const std::size_t start =
        std::min(rest.find_first_not_of(' '), rest.size());
    const std::string_view text = rest.substr(
        start, rest.find_first_not_of("0123456789+-.eE", start) - start);
    if (!is_plain_integer(text)) spellings_.add(number, text);
  }

  void read_weight(Index column) {
    const CsvField field = scanner_.read_field();
    const auto number = layout_.dialect.number(field.text);
    check_no_header(field, column);
    if (!number || *number < 0 || is_missing_number(*number)) {
      throw_no_number(field, column);
    }
    store(instances_.weights, row_, *number);
  }

  [[noreturn]] void throw_unknown(const CsvField& field, Index column,
                                  Index slot) const {
    throw DataError(
        source_, field.position,
        unknown_category(field.value(), describe_column(layout_, column),
                         instances_.rules.categories(slot)));
  }

  /// Returns what the values of a feature must be.
  [[nodiscard]] std::string feature_kind(Index slot) const {
    if (instances_.rules.is_category(slot)) return "category";
    return instances_.rules.takes_texts() ? "number or a category" : "number";
  }

  [[noreturn]] void throw_no_number(const CsvField& field, Index column) const {
    const Index slot = layout_.slots[static_cast<std::size_t>(column)];
    const std::string kind = slot == kLabelSlot    ? "label"
                             : slot == kWeightSlot ? "weight of 0 or more"
                                                   : feature_kind(slot);
    const std::string expected = "expected a " + kind + " in " +
                                 describe_column(layout_, column) + ", got ";
    const MissingTexts& missing = layout_.dialect.missing;
    if (is_missing(field.text) || ((slot >= 0 || missing.given()) &&
                                   layout_.dialect.is_missing(field.text))) {
      throw ColumnError(
          source_, field.position, column,
          expected +
              (field.text.empty() ? "an empty field" : in_quotes(field.text)) +
              "; fill in the missing value or remove the row");
    }
    throw ColumnError(
        source_, field.position, column,
        expected + in_quotes(field.text) +
            number_advice(field.text, layout_.dialect, layout_.is_of_table));
  }

  /// \param num_read  number of fields of the record that were already read
  [[noreturn]] void throw_ragged(Index num_read) {
    Index received = num_read;
    FilePosition position{scanner_.record_line(), 1};
    if (!scanner_.record_ended()) position = scanner_.position();
    while (!scanner_.record_ended()) {
      static_cast<void>(scanner_.read_field());
      ++received;
    }
    throw DataError(source_, position,
                    "expected " + std::to_string(layout_.num_columns()) +
                        " fields as in the " +
                        (layout_.lacks_row_names ? "second" : "first") +
                        " row, got " + std::to_string(received) +
                        advice_on_row_names(received));
  }

  /// Returns what to do if the rows have one more field than the header, as files
  /// that R writes; empty for others.
  [[nodiscard]] std::string advice_on_row_names(Index received) const {
    const bool is_first = layout_.has_header && row_ == 0;
    if (!is_first || received != layout_.num_columns() + 1) return "";
    return "; if the first field is the name of the row, as R writes it, give "
           "its column a name in the first row too";
  }

  const CsvLayout& layout_;
  CsvInstances& instances_;
  bool has_plain_numbers_;
  const std::string& source_;
  Index lines_before_;
  CsvScanner scanner_;
  std::vector<double> excess_row_;
  std::vector<Index> run_lengths_;

  /// The known codes of each feature; empty until there is a category.
  std::vector<std::unordered_map<std::string, Index>> codes_;

  LabelSpellings spellings_;
  Index row_;
  bool has_odd_label_ = false;
};

}  // namespace mlp::datasets::detail
