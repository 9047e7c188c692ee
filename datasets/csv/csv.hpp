// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
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
#include "../missing_values.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "../stored/feature_file.hpp"
#include "../stored/stored_features.hpp"
#include "column_error.hpp"
#include "column_survey.hpp"
#include "csv_left_out.hpp"
#include "csv_missing.hpp"
#include "csv_options.hpp"
#include "csv_parts.hpp"
#include "csv_rows.hpp"
#include "csv_table.hpp"
#include "csv_texts.hpp"
#include "kept_columns.hpp"
#include "layout/csv_first_rows.hpp"
#include "layout/csv_guesses.hpp"
#include "layout/csv_layout.hpp"
#include "layout/label_column.hpp"

/// Reader for CSV and TSV files.
namespace mlp::datasets {

namespace detail {

/// Where the features of files are put that do not fit into memory.
struct CsvStore {
  CsvParts& parts;        ///< of the files
  std::string folder;     ///< on a disk
  double num_rows = 0.0;  ///< about how many the files have
};

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

  /// Reads files that do not fit into memory. No column is kept.
  ///
  /// \param first  the first part of the files, for messages
  /// \param store  must outlive this object
  CsvReader(const FileInPieces& first, const std::string& source,
            CsvLayout layout, const CsvOptions& options, const CsvStore& store)
      : CsvReader(std::vector<FileInPieces>{first}, source, std::move(layout),
                  options) {
    store_ = &store;
  }

  [[nodiscard]] CsvTable read(ThreadPool& pool) try {
    if (!store_) reserve();
    bool is_complete = false;
    while (!is_complete) {
      is_complete = store_ ? store_rows(pool) : read_rows(pool);
      if (!is_complete) {
        instances_.labels_are_texts = true;
        instances_.labels = {};
      }
      if (instances_.rules.add_columns_of_texts()) is_complete = false;
    }
    if (rows_.num_rows() == 0) {
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
                    rows_.num_empty_lines()};
  } catch (ColumnError& error) {
    error.set_survey(
        std::make_shared<const CsvSurvey>(survey_columns(texts_, layout_)));
    throw;
  }

 private:
  /// Returns the most rows that a text can have. Each feature of a row has at least two
  /// bytes in the text, or one if it may be missing, so the features take at most
  /// four or eight times its size, no matter how wide the first row is.
  [[nodiscard]] std::size_t most_rows(const FileInPieces& file) const {
    const auto width = static_cast<std::size_t>(layout_.num_features);
    const std::size_t bytes = instances_.rules.is_set() ? 1 : 2;
    return std::min(count_lines(file.pieces),
                    (file.text.size() + 1) / (bytes * width));
  }

  /// Reserves memory for the instances.
  void reserve() {
    const auto width = static_cast<std::size_t>(layout_.num_features);
    std::size_t rows = 0;
    for (const FileInPieces& file : files_) rows += most_rows(file);
    Dataset& data = instances_.data;
    check_matrix_size(data.source, width, rows);
    check_matrix_memory(data.source, layout_.num_features,
                        static_cast<Index>(rows));
    data.features.resize(layout_.num_features, static_cast<Index>(rows));
    advise_huge_pages(data.features.data(), width * rows * sizeof(double));
    reserve_rows(data.lines, rows);
    if (layout_.label) reserve_rows(instances_.labels, rows);
    if (has_weights()) reserve_rows(instances_.weights, rows);
  }

  [[nodiscard]] bool has_weights() const { return layout_.weight_column >= 0; }

  /// \returns false if a label is not a number, so that labels must be read as
  ///          texts
  bool read_rows(ThreadPool& pool) {
    if (layout_.label && instances_.labels_are_texts) {
      reserve_rows(instances_.data.label_texts,
                   static_cast<std::size_t>(instances_.data.features.cols()));
    }
    return rows_.read_all(files_, pool);
  }

  /// Reads the rows part by part, and puts their features into a file.
  ///
  /// \returns false as read_rows()
  bool store_rows(ThreadPool& pool) {
    Dataset& data = instances_.data;
    const Index width = layout_.num_features;
    data.stored.reset();  // its file, before there is another
    const auto file = FeatureFile::make(
        store_->folder, width, StoredNumber::kFloat64, store_->num_rows);
    instances_.num_stored = 0;
    rows_.start();
    store_->parts.restart();
    while (const FileInPieces* const part = store_->parts.next(pool)) {
      make_room(*part);
      if (!rows_.read_part(*part, pool)) return false;
      file->append(data.features.data(),
                   rows_.num_rows() - file->num_instances());
      instances_.num_stored = file->num_instances();
    }
    data.files = store_->parts.sources();
    if (data.files.size() == 1) data.files.clear();
    data.features.resize(width, 0);
    data.stored = std::make_shared<const StoredFeatures>(file);
    return true;
  }

  /// Makes room for the features of a part.
  void make_room(const FileInPieces& part) {
    const std::size_t rows = most_rows(part);
    Matrix& features = instances_.data.features;
    if (features.cols() >= static_cast<Index>(rows)) return;
    check_matrix_memory(instances_.data.source, layout_.num_features,
                        static_cast<Index>(rows));
    features.resize(layout_.num_features, static_cast<Index>(rows));
  }

  void finish() {
    Dataset& data = instances_.data;
    const Index num_rows = rows_.num_rows();
    const auto size = static_cast<std::size_t>(num_rows);
    if (num_rows < data.features.cols()) {
      data.features.conservativeResize(Eigen::NoChange, num_rows);
    }
    data.lines.resize(size);
    if (instances_.labels_are_texts) {
      data.label_texts.resize(layout_.label ? size : 0);
    } else if (layout_.label) {
      data.labels =
          Eigen::Map<const Vector>(instances_.labels.data(), num_rows);
      data.label_spellings = instances_.spellings.of(data.labels);
    }
    if (has_weights()) {
      data.weights =
          Eigen::Map<const Vector>(instances_.weights.data(), num_rows);
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
    rules.check_booleans(data, layout_);
    if (!rules.is_set()) return {};
    MissingValues missing = count_missing(data, layout_, rules);
    if (options_.columns.empty()) check_any_value(missing, data.source);
    if (rules.drops_rows() && missing.num_rows != 0) drop_missing_rows(data);
    rules.sort_categories(data, layout_);
    const bool has_missing =
        std::any_of(missing.of_features.begin(), missing.of_features.end(),
                    [](Index count) { return count != 0; });
    data.columns = rules.columns(layout_, options_, has_missing);
    if (options_.columns.empty()) {
      missing.codes = missing_codes(missing);
    }
    return missing;
  }

  /// Returns the columns whose 'NA' may be a code.
  [[nodiscard]] std::vector<std::string> missing_codes(
      const MissingValues& missing) const {
    MissingCodes codes(layout_, instances_.rules, missing);
    if (!codes.may_have_any()) return {};
    if (!store_) {
      for (const std::string_view text : texts_) codes.look_at(text, true);
      return codes.found();
    }
    ThreadPool pool(1);
    store_->parts.restart();
    while (const FileInPieces* const part = store_->parts.next(pool)) {
      codes.look_at(part->text, !part->is_continued);
    }
    return codes.found();
  }

  std::vector<FileInPieces> files_;
  std::vector<std::string_view> texts_;
  CsvLayout layout_;
  const CsvOptions& options_;
  CsvInstances instances_;
  CsvTextReader rows_{layout_, instances_};
  const CsvStore* store_ = nullptr;
  std::vector<LeftOutColumn> left_out_;
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
