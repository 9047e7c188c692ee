// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../../core/error.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/text_file.hpp"
#include "../../reading/text_lines.hpp"
#include "../csv_options.hpp"
#include "../csv_scanner.hpp"
#include "csv_columns.hpp"
#include "csv_header.hpp"
#include "csv_layout.hpp"

/// Comparison of the first rows of CSV files that are read as one.
namespace mlp::datasets::detail {

/// Returns true if a text has more than one line.
inline bool has_second_line(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  return line_end != text.npos &&
         text.find_first_not_of("\r\n", line_end) != text.npos;
}

/// Returns the file that decides about the header and the columns: the first one
/// with more than a header, or else the first one.
inline std::size_t find_deciding_file(std::span<const TextFile> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (has_second_line(without_byte_order_mark(files[i].text))) return i;
  }
  return 0;
}

/// Compares the first row of each file with that of the file that decided about the
/// layout.
class CsvFirstRows {
 public:
  /// \param decided  the file of the layout
  /// \param layout   must outlive this object, as the other references
  CsvFirstRows(const TextFile& decided, const CsvLayout& layout,
               const CsvOptions& options)
      : decided_(decided), layout_(layout), options_(options) {
    read(decided, expected_);
  }

  /// \throws DataError naming a file with another header or other columns, or whose
  ///         first row is a header although the files have none
  void check(std::span<const TextFile> files) const {
    bool are_same = files.size() > 1;
    for (const TextFile& file : files) {
      Row row;
      if (!read(file, row)) continue;
      check_columns(file, row);
      if (layout_.has_header) {
        check_names(file, row);
      } else if (options_.header == HeaderRule::kAuto) {
        check_data(file, row);
        are_same = are_same && row.texts == expected_.texts;
      }
    }
    const bool is_decided =
        layout_.has_header || options_.header != HeaderRule::kAuto;
    if (!is_decided && are_same && are_names(expected_)) {
      throw DataError(
          decided_.name, FilePosition{1, 1},
          "the first row of each file is the same and has only texts, so it "
          "may "
          "be a header or data; expected to be told which one it is");
    }
  }

 private:
  struct Row {
    std::vector<std::string> texts;
    std::vector<FilePosition> positions;
  };

  /// \returns false if the file has no rows
  bool read(const TextFile& file, Row& row) const {
    CsvScanner scanner(without_byte_order_mark(file.text),
                       layout_.dialect.delimiter, file.name);
    if (!scanner.next_record()) return false;
    do {
      const CsvField field = scanner.read_field();
      row.texts.push_back(field.value());
      row.positions.push_back(field.position);
    } while (!scanner.record_ended());
    return true;
  }

  /// \throws DataError for a row with another number of fields
  void check_columns(const TextFile& file, const Row& row) const {
    const std::size_t expected = expected_.texts.size();
    if (row.texts.size() == expected) return;
    throw DataError(file.name, row.positions.front(),
                    "expected " + std::to_string(expected) + " columns as in " +
                        decided_.name + ", got " +
                        std::to_string(row.texts.size()) +
                        "; all files need the same columns");
  }

  /// \throws DataError for a row that is not the header of the other file
  void check_names(const TextFile& file, const Row& row) const {
    const std::vector<std::string>& names = expected_.texts;
    const auto differ =
        std::mismatch(names.begin(), names.end(), row.texts.begin());
    if (differ.first == names.end()) return;
    const auto at = static_cast<std::size_t>(differ.first - names.begin());
    const auto is_name = [&](const std::string& text) {
      return std::find(names.begin(), names.end(), text) != names.end();
    };
    if (std::none_of(row.texts.begin(), row.texts.end(), is_name)) {
      throw DataError(file.name, row.positions.front(),
                      "expected a header as in " + decided_.name +
                          ", which begins with " + in_quotes(names.front()) +
                          ", got a row that begins with " +
                          in_quotes(row.texts.front()) +
                          "; all files need the same header, or none");
    }
    throw DataError(
        file.name, row.positions[at],
        "expected the name " + in_quotes(names[at]) + " of column " +
            std::to_string(layout_.index_of(static_cast<Index>(at))) +
            " as in " + decided_.name + ", got " + in_quotes(row.texts[at]) +
            "; all files need the same columns in the same order");
  }

  /// Refuses a row that is a header, although that of the other file is data: it has
  /// only names, above a number of the other row or one of them for the label.
  ///
  /// \throws DataError
  void check_data(const TextFile& file, const Row& row) const {
    if (!are_names(row)) return;
    const auto is_number = [](const std::string& text) {
      return look_of_field(text) == FieldLook::kNumber;
    };
    const auto& others = expected_.texts;
    const bool is_header =
        std::any_of(others.begin(), others.end(), is_number) ||
        (find_usual_label(row.texts) >= 0 && find_usual_label(others) < 0);
    if (!is_header) return;
    throw DataError(file.name, row.positions.front(),
                    "the first row is a header, which begins with " +
                        in_quotes(row.texts.front()) + ", but " +
                        decided_.name +
                        " has none; all files need the same header, or none");
  }

  /// Returns true if all fields of a row are texts and not numbers.
  static bool are_names(const Row& row) {
    return std::all_of(row.texts.begin(), row.texts.end(),
                       [](const std::string& text) {
                         return look_of_field(text) == FieldLook::kName;
                       });
  }

  const TextFile& decided_;
  const CsvLayout& layout_;
  const CsvOptions& options_;
  Row expected_;
};

/// Finds the layout of CSV files that are read as one.
///
/// \throws the errors of CsvLayoutFinder; DataError naming a file with another
///         header or other columns
inline CsvLayout find_layout(std::span<const TextFile> files,
                             const CsvOptions& options) {
  const TextFile& decided = files[find_deciding_file(files)];
  std::vector<std::string_view> texts;
  for (const TextFile& file : files) {
    texts.push_back(without_byte_order_mark(file.text));
  }
  CsvLayout layout = CsvLayoutFinder(without_byte_order_mark(decided.text),
                                     decided.name, options, texts)
                         .find();
  if (files.size() > 1) CsvFirstRows(decided, layout, options).check(files);
  return layout;
}

}  // namespace mlp::datasets::detail
