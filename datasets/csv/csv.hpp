// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../left_out_columns.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "column_error.hpp"
#include "column_survey.hpp"
#include "csv_left_out.hpp"
#include "csv_options.hpp"
#include "csv_rows.hpp"
#include "csv_table.hpp"
#include "kept_columns.hpp"
#include "layout/csv_first_rows.hpp"
#include "layout/csv_guesses.hpp"
#include "layout/csv_layout.hpp"
#include "layout/label_column.hpp"
#include "missing_values.hpp"

/// Reader for CSV and TSV files.
namespace mlp::datasets {

namespace detail {

/// Reads the rows of one or several CSV files after their layout is known.
class CsvReader {
 public:
  /// \param files    are read as one   [at least 1]
  /// \param source   the name of all files for messages
  /// \param options  must outlive this object
  CsvReader(std::vector<FileInPieces> files, const std::string& source,
            CsvLayout layout, const CsvOptions& options)
      : files_(std::move(files)),
        layout_(std::move(layout)),
        options_(options) {
    for (const FileInPieces& file : files_) texts_.push_back(file.text);
    instances_.data.source = source;
    instances_.data.files = source_files(files_);
    instances_.labels_are_texts = options.label_as_text;
    instances_.rules.set(layout_, options, source);
  }

  [[nodiscard]] CsvTable read(ThreadPool& pool) try {
    reserve();
    bool is_complete = false;
    while (!is_complete) {
      is_complete = read_rows(pool);
      if (!is_complete) {
        instances_.labels_are_texts = true;
        instances_.labels = {};
      }
      if (instances_.rules.add_columns_of_texts()) is_complete = false;
    }
    if (num_rows_ == 0) {
      throw DataError(instances_.data.source, FilePosition{1, 1},
                      "there is only a header; expected rows of numbers");
    }
    finish();
    if (!options_.label_as_text) {
      check_label_texts(instances_.data, layout_.label, texts_,
                        layout_.dialect.delimiter);
    }
    if (options_.leaves_out_columns()) {
      left_out_ = leave_out_columns(instances_.data, layout_, instances_.rules);
    }
    MissingValues missing = finish_columns();
    name_features();
    const bool is_guess = layout_.label && layout_.label->is_default &&
                          options_.label_rule == LabelRule::kRequired;
    if (is_guess) {
      layout_.guesses.other_labels = find_other_labels(texts_, layout_);
    }
    std::vector<KeptColumn> kept = read_kept();
    return CsvTable{std::move(instances_.data),
                    std::move(layout_.label),
                    layout_.has_header,
                    layout_.dialect.delimiter,
                    std::move(kept),
                    std::move(layout_.guesses),
                    std::move(left_out_),
                    std::move(missing),
                    num_empty_lines_};
  } catch (ColumnError& error) {
    error.set_survey(
        std::make_shared<const CsvSurvey>(survey_columns(texts_, layout_)));
    throw;
  }

 private:
  /// Reserves memory for the instances. Each feature of a row has at least two
  /// bytes in the text, or one if it may be missing, so the features take at most
  /// four or eight times its size, no matter how wide the first row is.
  void reserve() {
    const auto width = static_cast<std::size_t>(layout_.num_features);
    const std::size_t bytes = instances_.rules.is_set() ? 1 : 2;
    std::size_t rows = 0;
    for (const FileInPieces& file : files_) {
      rows += std::min(count_lines(file.pieces),
                       (file.text.size() + 1) / (bytes * width));
    }
    Dataset& data = instances_.data;
    check_matrix_size(data.source, width, rows);
    check_matrix_memory(data.source, layout_.num_features,
                        static_cast<Index>(rows));
    data.features.resize(layout_.num_features, static_cast<Index>(rows));
    advise_huge_pages(data.features.data(), width * rows * sizeof(double));
    reserve_vector(data.lines, rows);
    if (layout_.label) reserve_vector(instances_.labels, rows);
    if (has_weights()) reserve_vector(instances_.weights, rows);
  }

  [[nodiscard]] bool has_weights() const { return layout_.weight_column >= 0; }

  template <typename Value>
  static void reserve_vector(std::vector<Value>& values, std::size_t size) {
    values.reserve(size);
    advise_huge_pages(values.data(), size * sizeof(Value));
  }

  /// \returns false if a label is not a number, so that labels must be read as
  ///          texts
  bool read_rows(ThreadPool& pool) {
    instances_.spellings = {};
    if (layout_.label && instances_.labels_are_texts) {
      reserve_vector(instances_.data.label_texts,
                     static_cast<std::size_t>(instances_.data.features.cols()));
    }
    if (pool.num_threads() > 1) {
      const Outcome outcome = read_files(pool);
      if (outcome != Outcome::kIrregular) return outcome == Outcome::kRead;
      instances_.rules.forget();
      instances_.spellings = {};
    }
    num_rows_ = num_empty_lines_ = 0;
    for (const FileInPieces& file : files_) {
      CsvRowReader rows(TextPiece{file.text}, layout_, instances_, num_rows_,
                        &file.source);
      if (layout_.has_header) rows.skip_record();
      while (rows.read_row()) {
      }
      if (rows.has_odd_label()) return false;
      num_rows_ = rows.next_row();
      num_empty_lines_ += rows.num_empty_lines();
      instances_.spellings.merge(rows.spellings());
    }
    return true;
  }

  enum class Outcome {
    kRead,
    kOddLabel,  ///< a label is not a number
    kIrregular  ///< a line is not one row, or a row is wrong
  };

  /// Reads the files with several threads, one file after the other.
  Outcome read_files(ThreadPool& pool) {
    num_rows_ = num_empty_lines_ = 0;
    for (const FileInPieces& file : files_) {
      CsvRowReader first(TextPiece{file.text}, layout_, instances_, num_rows_,
                         &file.source);
      if (layout_.has_header) first.skip_record();
      if (!first.read_row()) {
        if (first.has_odd_label()) return Outcome::kOddLabel;
        continue;
      }
      num_empty_lines_ += first.num_empty_lines();
      instances_.spellings.merge(first.spellings());
      if (!read_pieces(file, first, pool)) return Outcome::kIrregular;
    }
    return Outcome::kRead;
  }

  /// Reads the rows after the first one of a file with several threads. This
  /// requires that each line is one row.
  ///
  /// \returns false if a line is not one row or a row is wrong. The caller then
  ///          reads the rows one by one, which handles all rows and reports the
  ///          first error.
  bool read_pieces(const FileInPieces& file, const CsvRowReader& rows,
                   ThreadPool& pool) {
    const std::vector<TextPiece> pieces = pieces_behind(file, rows);
    if (pieces.empty()) {
      num_rows_ = rows.next_row();
      return true;
    }
    if (!make_room(file, rows, pieces)) return false;
    const std::size_t start_line = pieces.front().first_line;
    std::atomic<bool> is_regular = true;
    pool.parallel_for(static_cast<Index>(pieces.size()), [&](Index i, int) {
      if (!is_regular) return;
      const TextPiece& piece = pieces[static_cast<std::size_t>(i)];
      const auto offset = static_cast<Index>(piece.first_line - start_line);
      const bool is_last = &piece == &pieces.back();
      if (!read_piece(file, piece, rows.next_row() + offset, is_last)) {
        is_regular = false;
      }
    });
    return is_regular;
  }

  /// Reads the rows of a piece. The last piece may end with empty lines.
  ///
  /// \returns false if a line is not one row or a row is wrong
  bool read_piece(const FileInPieces& file, const TextPiece& piece,
                  Index first_row, bool is_last) try {
    CsvRowReader rows(piece, layout_, instances_, first_row, &file.source);
    while (rows.read_row()) {
    }
    if (is_last) {
      num_rows_ = rows.next_row();
      num_empty_lines_ += rows.num_empty_lines();
    }
    {
      const std::lock_guard lock(spellings_mutex_);
      instances_.spellings.merge(rows.spellings());
    }
    const auto num_read = static_cast<std::size_t>(rows.next_row() - first_row);
    return !rows.has_odd_label() && (is_last || num_read == piece.num_lines);
  } catch (const DataError&) {
    return false;
  }

  /// Returns the parts of a file's pieces that have not been read yet.
  [[nodiscard]] static std::vector<TextPiece> pieces_behind(
      const FileInPieces& file, const CsvRowReader& rows) {
    std::vector<TextPiece> left;
    for (TextPiece piece : file.pieces) {
      const char* const end = piece.text.data() + piece.text.size();
      if (end <= rows.next_byte()) continue;
      if (piece.text.data() < rows.next_byte()) {
        const std::size_t end_line = piece.end_line();
        piece.text = {rows.next_byte(),
                      static_cast<std::size_t>(end - rows.next_byte())};
        piece.first_line = rows.next_line();
        piece.num_lines = end_line - piece.first_line;
      }
      left.push_back(piece);
    }
    return left;
  }

  /// Allocates one instance per line.
  ///
  /// \returns false if the text is too short for that many rows
  bool make_room(const FileInPieces& file, const CsvRowReader& rows,
                 const std::vector<TextPiece>& pieces) {
    const std::size_t num_lines =
        pieces.back().end_line() - pieces.front().first_line;
    const std::size_t size =
        static_cast<std::size_t>(rows.next_row()) + num_lines;
    // A row has at least one byte per column and one for each delimiter or line
    // end.
    const auto columns = static_cast<std::size_t>(layout_.num_columns());
    if (static_cast<Index>(size) > instances_.data.features.cols() ||
        2 * columns * num_lines > file.text.size() + 1) {
      return false;
    }
    instances_.data.lines.resize(size);
    if (has_weights()) instances_.weights.resize(size);
    if (!layout_.label) return true;
    if (instances_.labels_are_texts) {
      instances_.data.label_texts.resize(size);
    } else {
      instances_.labels.resize(size);
    }
    return true;
  }

  void finish() {
    Dataset& data = instances_.data;
    const auto size = static_cast<std::size_t>(num_rows_);
    if (num_rows_ < data.features.cols()) {
      data.features.conservativeResize(Eigen::NoChange, num_rows_);
    }
    data.lines.resize(size);
    if (instances_.labels_are_texts) {
      data.label_texts.resize(layout_.label ? size : 0);
    } else if (layout_.label) {
      data.labels =
          Eigen::Map<const Vector>(instances_.labels.data(), num_rows_);
      data.label_spellings = instances_.spellings.of(data.labels);
    }
    if (has_weights()) {
      data.weights =
          Eigen::Map<const Vector>(instances_.weights.data(), num_rows_);
    }
  }

  void name_features() {
    Dataset& data = instances_.data;
    if (!layout_.has_header) return;
    if (layout_.label) data.label_name = layout_.label->name;
    data.feature_names.resize(static_cast<std::size_t>(layout_.num_features));
    for (std::size_t i = 0; i < layout_.slots.size(); ++i) {
      const Index slot = layout_.slots[i];
      if (slot < 0) continue;
      data.feature_names[static_cast<std::size_t>(slot)] =
          layout_.column_names[i];
    }
  }

  /// Reads the kept columns of all files.
  [[nodiscard]] std::vector<KeptColumn> read_kept() const {
    const std::vector<Index>& lines = instances_.data.lines;
    if (files_.size() == 1 || layout_.kept.empty()) {
      return read_kept_columns(texts_.front(), layout_, lines);
    }
    std::vector<KeptColumn> all;
    auto next = lines.begin();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::vector<Index> own;
      for (;
           next != lines.end() && find_file(instances_.data.files, *next) == i;
           ++next) {
        own.push_back(*next - files_[i].source.lines_before);
      }
      append_kept_columns(all, read_kept_columns(texts_[i], layout_, own));
    }
    return all;
  }

  /// Leaves out rows with missing values, or counts these, and describes the
  /// columns if some are not numbers.
  [[nodiscard]] MissingValues finish_columns() {
    ColumnRules& rules = instances_.rules;
    Dataset& data = instances_.data;
    rules.check_booleans(data.features, layout_, data.source);
    if (!rules.is_set()) return {};
    MissingValues missing = count_missing(data, layout_, rules);
    if (options_.columns.empty()) check_any_value(missing, data.source);
    if (rules.drops_rows() && missing.num_rows != 0) drop_missing_rows(data);
    rules.sort_categories(data.features, layout_, data.source);
    const bool has_missing =
        std::any_of(missing.of_features.begin(), missing.of_features.end(),
                    [](Index count) { return count != 0; });
    data.columns = rules.columns(layout_, options_, has_missing);
    if (options_.columns.empty()) {
      missing.codes = find_missing_codes(texts_, layout_, rules, missing);
    }
    return missing;
  }

  std::vector<FileInPieces> files_;
  std::vector<std::string_view> texts_;
  CsvLayout layout_;
  const CsvOptions& options_;
  CsvInstances instances_;
  std::vector<LeftOutColumn> left_out_;
  std::mutex spellings_mutex_;
  Index num_rows_ = 0;
  Index num_empty_lines_ = 0;
};

/// Reads CSV files as read_csv() does, in pieces of other sizes.
inline CsvTable read_csv_texts(std::span<const TextFile> files,
                               const std::string& source,
                               const CsvOptions& options,
                               const PieceSizes& sizes = {}) {
  ReaderThreads threads(options.num_threads, count_bytes(files), sizes);
  std::vector<FileInPieces> in_pieces =
      make_pieces(files, threads.pool(), sizes);
  CsvLayout layout = find_layout(files, options);
  return CsvReader(std::move(in_pieces), source, std::move(layout), options)
      .read(threads.pool());
}

/// Reads CSV text as read_csv() does, in pieces of other sizes.
inline CsvTable read_csv_text(std::string_view text, const std::string& source,
                              const CsvOptions& options,
                              const PieceSizes& sizes = {}) {
  const TextFile file{source, text};
  return read_csv_texts({&file, 1}, source, options, sizes);
}

}  // namespace detail

/// Reads CSV or TSV text.
///
/// HeaderDecision has the rules of headers.
/// Features and weights must be finite decimal numbers, unless the options allow
/// categories or missing values; weights must not be negative. Labels are numbers
/// or, if one of them is not a number, texts to be indexed. The order of the rows
/// is kept.
/// \param text    UTF-8, with or without byte order mark
/// \param source  the file name shown in messages
/// \throws DataError with file, line and column if rows have different lengths,
///         a field is missing or not a number, a weight is negative, a line
///         exceeds 16 MiB, quotes are wrong, the text has a NUL byte, or the
///         options name columns that do not exist
/// \cost   memory for the features of at most four times the text, plus labels
/// \source RFC 4180
[[nodiscard]] inline CsvTable read_csv(std::string_view text,
                                       const std::string& source,
                                       const CsvOptions& options = {}) {
  return detail::read_csv_text(text, source, options);
}

/// Reads several CSV or TSV texts as one.
///
/// The kinds of labels and columns are those of all texts together. If the first
/// text with rows has a header, each other one must have the same header; otherwise
/// each must have the same number of columns. An error names the file and its line.
/// \param files   in the order of the rows   [at least 1]
/// \param source  the name of all of them for messages
/// \throws the errors of read_csv(); DataError naming a text with other columns
[[nodiscard]] inline CsvTable read_csv(std::span<const TextFile> files,
                                       const std::string& source,
                                       const CsvOptions& options = {}) {
  return detail::read_csv_texts(files, source, options);
}

/// Reads a CSV or TSV file.
///
/// \throws the errors of read_csv() and read_file()
[[nodiscard]] inline CsvTable read_csv_file(const std::string& path,
                                            const CsvOptions& options = {}) {
  return read_csv(read_file<DataError>(path), path, options);
}

}  // namespace mlp::datasets
