// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/quoted.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_chunks.hpp"
#include "column_error.hpp"
#include "column_rules.hpp"
#include "comma_number.hpp"
#include "csv_header.hpp"
#include "csv_layout.hpp"
#include "csv_scanner.hpp"
#include "missing_marker.hpp"

/// Reader for consecutive rows of a CSV file.
namespace mlp::datasets::detail {

/// The instances read from a CSV file.
struct CsvInstances {
  /// Its feature matrix has a column for every possible instance.
  Dataset data;

  /// The labels if they are numbers; otherwise data has the texts.
  std::vector<double> labels;
  bool labels_are_texts = false;

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
  /// \param chunk      starts with a row or the header
  /// \param layout     must outlive this object
  /// \param instances  must outlive this object
  /// \param first_row  index of the first row's instance
  /// \param file       the file of the chunk, which must outlive this object; null
  ///                   if the instances have only one
  CsvRowReader(const TextChunk& chunk, const CsvLayout& layout,
               CsvInstances& instances, Index first_row,
               const SourceFile* file = nullptr)
      : layout_(layout),
        instances_(instances),
        source_(file ? file->name : instances.data.source),
        lines_before_(file ? file->lines_before : 0),
        scanner_(chunk.text, layout.delimiter, source_, chunk.first_line),
        row_(first_row) {
    find_runs();
  }

  /// Skips one record, such as the header.
  void skip_record() {
    if (!scanner_.next_record()) return;
    do {
      static_cast<void>(scanner_.read_field());
    } while (!scanner_.record_ended());
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

  [[nodiscard]] const char* next_byte() const { return scanner_.next_byte(); }
  [[nodiscard]] std::size_t next_line() const { return scanner_.next_line(); }

 private:
  /// Counts for each column how many columns from it on are consecutive
  /// features that can be read together. The last column of a row is never
  /// included.
  void find_runs() {
    const std::vector<Index>& slots = layout_.slots;
    run_lengths_.assign(slots.size(), 0);
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
    if (row_ < features.cols()) return features.col(row_).data();
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
      static_cast<void>(scanner_.read_field());
    }
  }

  void read_feature(Index column, Index slot, double& value) {
    if (scanner_.read_number(value)) return;
    const CsvField field = scanner_.read_field();
    const auto number = parse_double(field.text);
    value = number ? *number : read_no_number(field, column, slot);
  }

  /// Returns what is stored for a field of a feature that is not a number.
  double read_no_number(const CsvField& field, Index column, Index slot) {
    ColumnRules& rules = instances_.rules;
    if (is_missing_marker(field.text)) {
      if (rules.may_be_missing(slot)) return kMissing;
    } else if (rules.takes_texts() &&
               comma_use(field.text) == CommaUse::kNone) {
      rules.take_text(slot);
      return 0.0;
    }
    throw_no_number(field, column);
  }

  void read_category(Index column, Index slot, double& value) {
    const CsvField field = scanner_.read_field();
    ColumnRules& rules = instances_.rules;
    if (is_missing_marker(field.text)) {
      if (!rules.may_be_missing(slot)) throw_no_number(field, column);
      value = kMissing;
      return;
    }
    const Index code = find_code(slot, field.value());
    if (code < 0 && !rules.ignores_unknown())
      throw_unknown(field, column, slot);
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
    if (!is_text && scanner_.read_number(value)) {
      return store(instances_.labels, row_, value);
    }
    const CsvField field = scanner_.read_field();
    const bool is_name = starts_as_name(field.text);
    if (instances_.rules.drops_rows() && is_missing_marker(field.text)) {
      if (is_text) return store(instances_.data.label_texts, row_, {});
      return store(instances_.labels, row_, kMissing);
    }
    const auto number = is_name ? std::nullopt : parse_double(field.text);
    if (number && !is_text) return store(instances_.labels, row_, *number);
    if (!is_name && (is_missing(field.text) || is_not_finite(field.text))) {
      throw_no_number(field, column);
    }
    if (!is_text && comma_use(field.text) != CommaUse::kNone) {
      throw_no_number(field, column);
    }
    has_odd_label_ = !is_text;
    if (is_text) store(instances_.data.label_texts, row_, field.value());
  }

  void read_weight(Index column) {
    const CsvField field = scanner_.read_field();
    const auto number = parse_double(field.text);
    if (!number || *number < 0) throw_no_number(field, column);
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
    if (is_missing(field.text) ||
        (slot >= 0 && is_missing_marker(field.text))) {
      throw ColumnError(
          source_, field.position, column,
          expected +
              (field.text.empty() ? "an empty field" : in_quotes(field.text)) +
              "; fill in the missing value or remove the row");
    }
    throw ColumnError(source_, field.position, column,
                      expected + in_quotes(field.text) +
                          comma_advice(field.text, layout_.delimiter));
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
                        " fields as in the first row, got " +
                        std::to_string(received) +
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
  const std::string& source_;
  Index lines_before_;
  CsvScanner scanner_;
  std::vector<double> excess_row_;
  std::vector<Index> run_lengths_;

  /// The known codes of each feature; empty until there is a category.
  std::vector<std::unordered_map<std::string, Index>> codes_;

  Index row_;
  bool has_odd_label_ = false;
};

}  // namespace mlp::datasets::detail
