// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/types.hpp"
#include "../../reading/folder_columns.hpp"
#include "../../reading/limits.hpp"
#include "../../reading/quoted.hpp"
#include "../../reading/text_encoding.hpp"
#include "../../reading/text_file.hpp"
#include "../../reading/trim_blanks.hpp"
#include "../../reading/vector_columns.hpp"
#include "../csv_look_ahead.hpp"
#include "../csv_options.hpp"
#include "../csv_quotes.hpp"
#include "../csv_scanner.hpp"
#include "../layout/csv_columns.hpp"
#include "../layout/csv_first_rows.hpp"
#include "../layout/csv_header.hpp"
#include "../layout/csv_layout.hpp"
#include "../layout/first_row.hpp"
#include "expanded_columns.hpp"
#include "text_vector.hpp"

/// Columns that CSV files have in another form: vectors, and the values of folders.
namespace mlp::datasets::detail {

/// Appends a field that a reader with this delimiter reads as the text.
inline void append_field(std::string& line, std::string_view text,
                         char delimiter) {
  const bool is_plain = text.find(delimiter) == text.npos &&
                        text.find_first_of("\"\r\n\t") == text.npos &&
                        trim_blanks(text).size() == text.size() &&
                        (delimiter != ' ' || !text.empty());
  if (is_plain) {
    line += text;
  } else {
    append_in_double_quotes(line, text);
  }
}

/// Returns options in which columns of some names have no role.
inline CsvOptions without_columns_named(CsvOptions options,
                                        const std::vector<std::string>& names) {
  const auto is_named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool has_label = is_named(options.label) ||
                         (options.label.empty() && options.known_label &&
                          is_named(options.known_label->name));
  if (has_label) {
    options.label_rule = LabelRule::kAbsent;
    options.label.clear();
    options.known_label.reset();
  }
  for (std::string* const name : {&options.weight, &options.group}) {
    if (is_named(*name)) name->clear();
  }
  for (auto* const listed :
       {&options.features, &options.ignored, &options.kept, &options.targets,
        &options.one_hot.columns, &options.feature_names}) {
    std::erase_if(*listed, is_named);
  }
  std::erase_if(options.columns, [&](const InputColumn& column) {
    return is_named(column.name);
  });
  options.num_features = 0;
  options.num_folder_columns = 0;
  return options;
}

/// Part of the text of a file.
struct CsvTextPart {
  std::string_view text;
  const std::string& source;
  std::size_t file = 0;  ///< its index among the files
  std::size_t first_line = 1;
};

/// Writes rows with a field for each element of their vectors, and one for each value of
/// the folders of their file.
class CsvExpansion {
 public:
  /// Nothing changes.
  CsvExpansion() = default;

  /// Finds the vectors in the second row, or else the first one, of the file that decides
  /// about the columns.
  ///
  /// \param files    with the first rows   [at least 1]
  /// \param folders  of all files that are read; must outlive this object
  /// \throws DataError if the values of folders would have no names, because the files
  ///         have no header, or if vectors are too large
  CsvExpansion(std::span<const TextFile> files, const FolderColumns& folders,
               const CsvOptions& options)
      : folders_(&folders), options_(options) {
    const TextFile& decided = files[find_deciding_file(files)];
    const std::string_view text = without_byte_order_mark(decided.text);
    delimiter_ = make_dialect(text, options).delimiter;
    find_vectors(files, decided, options);
    options_.num_folder_columns = static_cast<Index>(folders.names.size());
    if (folders.empty()) return;
    if (vectors_.empty()) look_at_header(text, decided.name, options);
    if (has_header_) return;
    throw DataError(
        decided.name, FilePosition{1, 1},
        "has no header, but its folders give the columns " +
            quoted_list(folders.names) +
            "; expected the names of the columns in the first row; add a "
            "header, or name the folders that have the files");
  }

  CsvExpansion(std::span<const TextFile>, FolderColumns&&,
               const CsvOptions&) = delete;  // the columns would not outlive it

  [[nodiscard]] bool is_needed() const {
    return !vectors_.empty() || has_folders();
  }

  /// Returns options for the rows that expand() writes.
  [[nodiscard]] const CsvOptions& options() const { return options_; }

  /// Returns the number of fields that vectors become.
  [[nodiscard]] std::size_t num_elements() const {
    std::size_t sum = 0;
    for (const VectorColumn& vector : vectors_) sum += vector.size;
    return sum;
  }

  /// Returns how the files, which are not expanded, write their rows.
  ///
  /// \pre is_needed()
  [[nodiscard]] CsvLayout layout_of_files() const {
    CsvLayout layout;
    layout.dialect.delimiter = delimiter_;
    layout.has_header = has_header_;
    return layout;
  }

  /// Writes consecutive rows. Each keeps its line.
  ///
  /// \throws DataError for a row whose vector has another size or is none, for a header
  ///         that has the name of a folder's column, or if quotes are wrong
  [[nodiscard]] std::string expand(const CsvTextPart& part) const {
    std::string_view rest = part.text;
    std::string text;
    const bool is_start = part.first_line == 1;
    if (is_start) {
      const std::string_view plain = without_byte_order_mark(rest);
      text.append(rest.substr(0, rest.size() - plain.size()));
      rest = plain;
    }
    text.reserve(rest.size() + rest.size() / 8);
    CsvScanner scanner(rest, delimiter_, part.source, part.first_line);
    const bool has_quotes = rest.find('"') != rest.npos;
    const char* written = rest.data();
    bool is_header = is_start && has_header_;
    while (scanner.next_record()) {
      const char* const begin = scanner.record_text().data();
      text.append(written, begin);  // empty lines
      const char* end = nullptr;
      if (vectors_.empty() || is_header) {
        if (is_header) check_header(scanner, part.source);
        skip_record(scanner, has_quotes, is_header);
        end = without_line_end(begin, scanner.next_byte());
        is_header ? append_header(text, {begin, end}, part.source)
                  : static_cast<void>(text.append(begin, end));
      } else {
        end = append_row(text, scanner, part.source);
      }
      append_folders(text, part.file, is_header);
      text.append(end, scanner.next_byte());
      written = scanner.next_byte();
      is_header = false;
    }
    text.append(written, rest.data() + rest.size());
    return text;
  }

 private:
  [[nodiscard]] bool has_folders() const {
    return folders_ != nullptr && !folders_->empty();
  }

  void find_vectors(std::span<const TextFile> files, const TextFile& decided,
                    const CsvOptions& options) {
    const std::string_view text = without_byte_order_mark(decided.text);
    CsvLookAhead rows(text, delimiter_, false);
    std::vector<std::string> first = rows.next_texts();
    std::vector<std::string> row = rows.next_texts();
    if (row.empty()) row = first;
    has_header_ = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto vector = TextVector::read(row[i]);
      if (!vector || vector->size() == 0) continue;
      if (i < first.size() && TextVector::read(first[i])) has_header_ = false;
      vectors_.push_back({i, vector->size()});
    }
    check_matrix_size(decided.name, num_elements(), 1);
    if (vectors_.empty()) return;
    if (options_.header == HeaderRule::kAuto) {
      options_.header = has_header_ ? HeaderRule::kYes : HeaderRule::kNo;
    }
    has_header_ = options_.header == HeaderRule::kYes;
    translate_options(look_at_first_row(std::move(first), files, text),
                      decided.name, options);
  }

  /// Looks for delimiters at the ends of rows with vectors, and for names of rows.
  ///
  /// \return the columns of the files
  [[nodiscard]] std::vector<std::string> look_at_first_row(
      std::vector<std::string> cells, std::span<const TextFile> files,
      std::string_view text) {
    std::vector<std::string_view> texts;
    for (const TextFile& file : files) {
      texts.push_back(without_byte_order_mark(file.text));
    }
    CsvOptions plain = options_;
    plain.num_features = 0;
    FirstRow row = read_first_row(std::move(cells), text, texts,
                                  make_dialect(text, plain), plain);
    has_trailing_delimiter_ = row.has_trailing_delimiter;
    lacks_row_names_ = row.lacks_row_names;
    return std::move(row.cells);
  }

  /// \param cells  the columns of the files
  void translate_options(std::vector<std::string> cells,
                         const std::string& source, const CsvOptions& options) {
    const HeaderRule header = options_.header;
    const auto& names = folders_->names;
    cells.insert(cells.end(), names.begin(), names.end());
    CsvColumns columns(std::move(cells), source,
                       static_cast<Index>(names.size()));
    columns.set_has_header(has_header_);
    options_ =
        ExpandedColumns(columns, VectorColumns(vectors_)).translate(options);
    options_.header = header;
  }

  /// Decides if files that only lack the columns of folders have a header.
  void look_at_header(std::string_view text, const std::string& source,
                      const CsvOptions& options) {
    const CsvOptions plain = without_columns_named(options, folders_->names);
    const CsvLayout layout = CsvLayoutFinder(text, source, plain).find();
    has_header_ = layout.has_header;
    has_trailing_delimiter_ = layout.has_trailing_delimiter;
    options_.header = HeaderRule::kYes;
  }

  /// \throws DataError if the files have a column that the folders give
  void check_header(CsvScanner scanner, const std::string& source) const {
    if (!has_folders()) return;
    do {
      const CsvField field = scanner.read_field();
      const std::string name = field.value();
      const auto& names = folders_->names;
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      throw DataError(source, field.position, column_of_both(name));
    } while (!scanner.record_ended());
  }

  static void skip_record(CsvScanner& scanner, bool has_quotes,
                          bool is_header) {
    if (!has_quotes && !is_header) return scanner.skip_line();
    do {
      static_cast<void>(scanner.read_field());
    } while (!scanner.record_ended());
  }

  [[nodiscard]] static const char* without_line_end(const char* begin,
                                                    const char* end) {
    while (end != begin && (end[-1] == '\n' || end[-1] == '\r')) --end;
    return end;
  }

  void append_header(std::string& text, std::string_view record,
                     const std::string& source) const {
    if (vectors_.empty()) {
      text += record;
      return;
    }
    CsvScanner scanner(record, delimiter_, source);
    if (!scanner.next_record()) return;
    const std::vector<std::string> names = read_texts(scanner);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t column = i + (lacks_row_names_ ? 1 : 0);
      const auto vector =
          std::find_if(vectors_.begin(), vectors_.end(),
                       [&](const auto& one) { return one.column == column; });
      if (i != 0) text += delimiter_;
      if (vector == vectors_.end()) append_field(text, names[i], delimiter_);
      if (vector == vectors_.end()) continue;
      for (std::size_t element = 0; element < vector->size; ++element) {
        if (element != 0) text += delimiter_;
        append_field(text, names[i] + '_' + std::to_string(element),
                     delimiter_);
      }
    }
  }

  /// \return the end of the row in the file, without its line end
  const char* append_row(std::string& text, CsvScanner& scanner,
                         const std::string& source) const {
    auto vector = vectors_.begin();
    for (std::size_t column = 0;; ++column) {
      const char* const begin = scanner.next_byte();
      const CsvField field = scanner.read_field();
      const bool is_last = scanner.record_ended();
      const char* end = scanner.next_byte();
      if (is_last) end = without_line_end(begin, end);
      if (vector != vectors_.end() && vector->column == column) {
        read_vector(field, vector->size, source).append(text, delimiter_);
        if (!is_last) text += delimiter_;
        ++vector;
      } else {
        text.append(begin, end);
      }
      if (is_last) return end;
    }
  }

  [[nodiscard]] static TextVector read_vector(const CsvField& field,
                                              std::size_t size,
                                              const std::string& source) {
    auto vector = TextVector::read(field.text);
    if (vector && vector->size() == size) return *std::move(vector);
    throw DataError(
        source, field.position,
        "expected a vector of " + std::to_string(size) + " elements, got " +
            (vector ? std::to_string(vector->size()) + "; all need equal sizes"
             : field.text.empty() ? "no value; remove the row"
                                  : in_quotes(field.text)));
  }

  void append_folders(std::string& text, std::size_t file,
                      bool is_header) const {
    if (!has_folders()) return;
    for (std::size_t i = 0; i < folders_->names.size(); ++i) {
      const bool is_between = i == 0 && has_trailing_delimiter_ &&
                              !text.empty() && text.back() == delimiter_;
      if (!is_between) text += delimiter_;
      append_field(text,
                   is_header ? folders_->names[i]
                             : folders_->values[file][i].value_or(""),
                   delimiter_);
    }
  }

  const FolderColumns* folders_ = nullptr;
  CsvOptions options_;  ///< of the rows that are written
  char delimiter_ = ',';
  bool has_header_ = false;
  bool has_trailing_delimiter_ = false;
  bool lacks_row_names_ = false;
  std::vector<VectorColumn> vectors_;  ///< in the order of their columns
};

}  // namespace mlp::datasets::detail
