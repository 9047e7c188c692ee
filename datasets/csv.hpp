// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/read_file.hpp"
#include "csv_header.hpp"
#include "csv_layout.hpp"
#include "csv_options.hpp"
#include "csv_scanner.hpp"
#include "dataset.hpp"
#include "limits.hpp"
#include "text_lines.hpp"

namespace mlp::datasets {

/// A CSV file in memory.
struct CsvTable {
  Dataset dataset;

  /// Empty where no column is the label.
  std::optional<ChosenLabel> chosen_label;

  bool has_header = false;
  char delimiter = ',';
};

namespace detail {

/// Reads the records of a CSV file whose layout is known.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& source, CsvLayout layout,
            bool label_as_text)
      : text_(text),
        layout_(std::move(layout)),
        scanner_(text, layout_.delimiter, source),
        labels_are_texts_(label_as_text) {
    data_.source = source;
  }

  /// \param max_rows  the number of lines
  [[nodiscard]] CsvTable read(std::size_t max_rows) {
    reserve(max_rows);
    if (layout_.has_header) skip_record(scanner_);
    while (scanner_.next_record()) read_record();
    if (num_rows_ == 0) {
      throw DataError(data_.source, FilePosition{1, 1},
                      "there is a header only; expected rows of numbers");
    }
    finish();
    return CsvTable{std::move(data_), std::move(layout_.label),
                    layout_.has_header, layout_.delimiter};
  }

 private:
  /// Each feature of a row takes two bytes of the text or more, so that the
  /// memory is at most four times the text, however wide the first row is.
  void reserve(std::size_t max_rows) {
    const auto width = static_cast<std::size_t>(layout_.num_features);
    const std::size_t rows =
        std::min(max_rows, (text_.size() + 1) / (2 * width));
    check_matrix_size(data_.source, width, rows);
    data_.features.resize(layout_.num_features, static_cast<Index>(rows));
    data_.lines.reserve(rows);
    if (layout_.label) labels_.reserve(rows);
    find_runs();
  }

  static void skip_record(CsvScanner& scanner) {
    if (!scanner.next_record()) return;
    do {
      static_cast<void>(scanner.read_field());
    } while (!scanner.record_ended());
  }

  void read_record() {
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
    data_.lines.push_back(static_cast<Index>(scanner_.record_line()));
    ++num_rows_;
  }

  void read_column(Index column, double* instance) {
    const Index slot = layout_.slots[static_cast<std::size_t>(column)];
    if (slot >= 0) {
      read_feature(column, instance[slot]);
    } else if (slot == kLabelSlot) {
      read_label(column);
    } else {
      static_cast<void>(scanner_.read_field());
    }
  }

  /// Counts, from each column but the last on, the columns that become
  /// neighbouring features: they are read at one go.
  void find_runs() {
    const std::vector<Index>& slots = layout_.slots;
    run_lengths_.assign(slots.size(), 0);
    for (std::size_t i = slots.size() - 1; i-- > 0;) {
      if (slots[i] < 0) continue;
      const bool goes_on = slots[i + 1] == slots[i] + 1;
      run_lengths_[i] = 1 + (goes_on ? run_lengths_[i + 1] : 0);
    }
  }

  /// A row beyond the reserved ones lacks fields: it goes nowhere.
  double* row_begin() {
    if (num_rows_ < data_.features.cols()) {
      return data_.features.col(num_rows_).data();
    }
    excess_row_.resize(static_cast<std::size_t>(layout_.num_features));
    return excess_row_.data();
  }

  void read_feature(Index column, double& value) {
    if (scanner_.read_number(value)) return;
    const CsvField field = scanner_.read_field();
    const auto number = parse_double(field.text);
    if (!number) throw_no_number(field, column);
    value = *number;
  }

  void read_label(Index column) {
    double value = 0.0;
    if (!labels_are_texts_ && scanner_.read_number(value)) {
      labels_.push_back(value);
      return;
    }
    const CsvField field = scanner_.read_field();
    const auto number = parse_double(field.text);
    if (number && !labels_are_texts_) {
      labels_.push_back(*number);
      return;
    }
    if (is_missing(field.text) || is_not_finite(field.text)) {
      throw_no_number(field, column);
    }
    if (!labels_are_texts_) reread_labels_as_texts(column);
    data_.label_texts.push_back(field.value());
  }

  /// Goes back for the texts of the labels that were numbers so far.
  void reread_labels_as_texts(Index label_column) {
    labels_are_texts_ = true;
    data_.label_texts.reserve(data_.lines.capacity());
    CsvScanner scanner(text_, layout_.delimiter, data_.source);
    if (layout_.has_header) skip_record(scanner);
    for (Index row = 0; row < num_rows_; ++row) {
      static_cast<void>(scanner.next_record());
      for (Index column = 0; column <= layout_.num_columns() - 1; ++column) {
        const CsvField field = scanner.read_field();
        if (column != label_column) continue;
        data_.label_texts.push_back(field.value());
      }
    }
  }

  /// The column's name for a message.
  [[nodiscard]] std::string describe(Index column) const {
    if (!layout_.has_header) return "column " + std::to_string(column);
    return "column " +
           in_quotes(layout_.column_names[static_cast<std::size_t>(column)]);
  }

  [[noreturn]] void throw_no_number(const CsvField& field, Index column) const {
    const bool is_label =
        layout_.slots[static_cast<std::size_t>(column)] == kLabelSlot;
    const std::string expected = std::string("expected a ") +
                                 (is_label ? "label" : "number") + " in " +
                                 describe(column) + ", got ";
    if (is_missing(field.text)) {
      throw DataError(
          data_.source, field.position,
          expected +
              (field.text.empty() ? "an empty field" : in_quotes(field.text)) +
              "; fill in the missing value or remove the row");
    }
    throw DataError(data_.source, field.position,
                    expected + in_quotes(field.text));
  }

  /// \param num_read  fields of the record that were read
  [[noreturn]] void throw_ragged(Index num_read) {
    Index received = num_read;
    FilePosition position{scanner_.record_line(), 1};
    if (!scanner_.record_ended()) position = scanner_.position();
    while (!scanner_.record_ended()) {
      static_cast<void>(scanner_.read_field());
      ++received;
    }
    throw DataError(data_.source, position,
                    "expected " + std::to_string(layout_.num_columns()) +
                        " fields as in the first row, got " +
                        std::to_string(received));
  }

  void finish() {
    if (num_rows_ < data_.features.cols()) {
      data_.features.conservativeResize(Eigen::NoChange, num_rows_);
    }
    if (layout_.label && !labels_are_texts_) {
      data_.labels = Eigen::Map<const Vector>(labels_.data(), num_rows_);
    }
    if (!layout_.has_header) return;
    data_.feature_names.resize(static_cast<std::size_t>(layout_.num_features));
    for (std::size_t i = 0; i < layout_.slots.size(); ++i) {
      const Index slot = layout_.slots[i];
      if (slot < 0) continue;
      data_.feature_names[static_cast<std::size_t>(slot)] =
          layout_.column_names[i];
    }
    if (layout_.label) data_.label_name = layout_.label->name;
  }

  std::string_view text_;
  CsvLayout layout_;
  CsvScanner scanner_;
  Dataset data_;
  std::vector<double> labels_;
  std::vector<double> excess_row_;
  std::vector<Index> run_lengths_;
  bool labels_are_texts_;
  Index num_rows_ = 0;
};

}  // namespace detail

/// Reads CSV or TSV text.
///
/// The first row is a header if any feature field of it is not a number. Every
/// feature is a finite decimal number; labels are numbers, or else texts that
/// wait to be indexed. Rows keep their order.
/// \param text    UTF-8, with or without byte order mark
/// \param source  the file's name in messages
/// \throws DataError with file, line and column: rows of unequal length, a
///         field that is missing or no number, a line over 16 MiB, broken
///         quotes, a NUL byte, columns that the options ask for and the file
///         lacks
/// \cost   at most four times the text for the features, beside the labels
/// \source RFC 4180
[[nodiscard]] inline CsvTable read_csv(std::string_view text,
                                       const std::string& source,
                                       const CsvOptions& options = {}) {
  text = detail::without_byte_order_mark(text);
  const std::size_t num_lines = detail::count_lines_checked(text, source);
  detail::CsvLayout layout =
      detail::CsvLayoutFinder(text, source, options).find();
  return detail::CsvReader(text, source, std::move(layout),
                           options.label_as_text)
      .read(num_lines);
}

/// Reads a CSV or TSV file.
///
/// \throws what read_csv() and read_file() throw
[[nodiscard]] inline CsvTable read_csv_file(const std::string& path,
                                            const CsvOptions& options = {}) {
  return read_csv(read_file<DataError>(path), path, options);
}

}  // namespace mlp::datasets
