// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../left_out_columns.hpp"
#include "../missing_values.hpp"
#include "../reading/limits.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "../stored/feature_file.hpp"
#include "../stored/stored_features.hpp"
#include "column_error.hpp"
#include "column_survey.hpp"
#include "csv_left_out.hpp"
#include "csv_missing.hpp"
#include "csv_options.hpp"
#include "csv_rows.hpp"
#include "csv_table.hpp"
#include "csv_texts.hpp"
#include "kept_columns.hpp"
#include "layout/csv_guesses.hpp"
#include "layout/csv_layout.hpp"
#include "layout/label_column.hpp"
#include "row_parts.hpp"

/// Reads the rows of CSV files, and of the texts that stand for other tables.
namespace mlp::datasets::detail {

/// Where the features of files are put that do not fit into memory.
struct CsvStore {
  RowParts& parts;        ///< of the files
  std::string folder;     ///< on a disk
  double num_rows = 0.0;  ///< about how many the files have
};

/// The columns of a table that its texts have, where a reader of another format has
/// read the others.
struct CsvTextColumns {
  /// Of the texts. A slot is that of the table, or kIgnoredSlot.
  CsvLayout layout;

  /// The column of the table that each of them is.
  std::vector<Index> columns;
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

  /// Reads files that do not fit into memory.
  ///
  /// \param first  the first part of the files, for messages
  /// \param store  must outlive this object
  /// \param texts  the columns of the texts, if these have not all
  CsvReader(const FileInPieces& first, const std::string& source,
            CsvLayout layout, const CsvOptions& options, const CsvStore& store,
            std::optional<CsvTextColumns> texts = {})
      : CsvReader(std::vector<FileInPieces>{first}, source, std::move(layout),
                  options) {
    store_ = &store;
    text_columns_ = std::move(texts);
  }

  /// Reads the other columns of a table that has some features already.
  ///
  /// \param files     with the rows of the columns of texts; empty texts if there are
  ///                  no such columns
  /// \param layout    of the table
  /// \param texts     its columns that the files have
  /// \param features  [num_features x num_instances]
  CsvReader(std::vector<FileInPieces> files, const std::string& source,
            CsvLayout layout, const CsvOptions& options, CsvTextColumns texts,
            Matrix features)
      : CsvReader(std::move(files), source, std::move(layout), options) {
    text_columns_ = std::move(texts);
    instances_.data.features = std::move(features);
  }

  [[nodiscard]] CsvTable read(ThreadPool& pool) try {
    read_all_rows(pool);
    finish();
    if (!options_.label_as_text) {
      // The texts that stand for a table do not tell the place in its file.
      const auto of_files =
          std::span(texts_).first(text_columns_ ? 0 : texts_.size());
      check_label_texts(instances_.data, text_layout().label, of_files,
                        layout_.dialect.delimiter);
    }
    if (options_.leaves_out_columns()) {
      left_out_ = leave_out_columns(instances_.data, layout_, instances_.rules);
      if (text_columns_) take_slots();
    }
    MissingValues missing = finish_columns();
    name_features();
    const bool is_guess = layout_.label && layout_.label->is_default &&
                          options_.label_rule == LabelRule::kRequired;
    if (is_guess) {
      layout_.guesses.other_labels = find_other_labels(texts_, text_layout());
    }
    std::vector<KeptColumn> kept =
        store_ ? read_kept_columns(store_->parts, text_layout(),
                                   instances_.data.lines, pool)
               : read_kept();
    return CsvTable{std::move(instances_.data), layout_.label_of_file(),
                    layout_.has_header,         std::move(feature_columns_),
                    layout_.dialect.delimiter,  std::move(kept),
                    layout_.guesses_of_file(),  std::move(left_out_),
                    std::move(missing),         rows_->num_empty_lines()};
  } catch (ColumnError& error) {
    error.set_survey(std::make_shared<const CsvSurvey>(survey()));
    throw;
  }

 private:
  /// The layout of the texts.
  [[nodiscard]] const CsvLayout& text_layout() const {
    return text_columns_ ? text_columns_->layout : layout_;
  }

  /// Takes the slots of the features that are left.
  void take_slots() {
    for (std::size_t i = 0; i < text_columns_->columns.size(); ++i) {
      Index& slot = text_columns_->layout.slots[i];
      const auto column = static_cast<std::size_t>(text_columns_->columns[i]);
      if (slot >= 0) slot = layout_.slots[column];
    }
  }

  [[nodiscard]] CsvSurvey survey() const {
    CsvSurvey texts = survey_columns(texts_, text_layout());
    if (!text_columns_) return texts;
    CsvSurvey all = survey_columns({}, layout_);
    all.num_rows = texts.num_rows;
    all.has_more_rows = texts.has_more_rows;
    all.guesses.other_labels = std::move(texts.guesses.other_labels);
    for (ColumnSurvey& column : all.columns) column.num_numbers = all.num_rows;
    for (std::size_t i = 0; i < texts.columns.size(); ++i) {
      const auto column = static_cast<std::size_t>(text_columns_->columns[i]);
      texts.columns[i].index = all.columns[column].index;
      all.columns[column] = std::move(texts.columns[i]);
    }
    return all;
  }

  /// Reads the rows until the kinds of all columns are known.
  ///
  /// \throws DataError if there are none
  void read_all_rows(ThreadPool& pool) {
    rows_.emplace(text_layout(), instances_);
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
    check_rows();
    if (num_rows() != 0) return;
    throw DataError(instances_.data.source, FilePosition{1, 1},
                    "there is only a header; expected rows of numbers");
  }

  /// Calls a function that reads texts. Its errors name the column of the table.
  template <typename F>
  bool read_texts(const F& read) const try {
    return read();
  } catch (const ColumnError& error) {
    if (!text_columns_) throw;
    const auto column = static_cast<std::size_t>(error.column());
    throw error.at(error.position(), text_columns_->columns[column]);
  }

  /// Refuses texts that have other rows than the table that they stand for.
  void check_rows() const {
    const bool has_all = !text_columns_ || store_ || !has_texts() ||
                         rows_->num_rows() == instances_.data.features.cols();
    if (has_all) return;
    throw DataError(instances_.data.source,
                    "has " + std::to_string(instances_.data.features.cols()) +
                        " rows, but " + std::to_string(rows_->num_rows()) +
                        " of their texts were found");
  }

  [[nodiscard]] Index num_rows() const {
    return has_texts() ? rows_->num_rows() : instances_.data.num_instances();
  }

  /// Returns false if another reader has read all columns.
  [[nodiscard]] bool has_texts() const {
    return !text_columns_ || !text_columns_->columns.empty();
  }

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
    Dataset& data = instances_.data;
    auto rows = static_cast<std::size_t>(data.features.cols());
    if (!text_columns_) {
      const auto width = static_cast<std::size_t>(layout_.num_features);
      for (const FileInPieces& file : files_) rows += most_rows(file);
      check_matrix_size(data.source, width, rows);
      check_matrix_memory(data.source, layout_.num_features,
                          static_cast<Index>(rows));
      resize_anew(data.features, layout_.num_features,
                  static_cast<Index>(rows));
      advise_huge_pages(data.features.data(), width * rows * sizeof(double));
    }
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
    return !has_texts() ||
           read_texts([&] { return rows_->read_all(files_, pool); });
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
    rows_->start();
    store_->parts.restart();
    while (const FileInPieces* const part = store_->parts.next(pool)) {
      make_room(*part);
      store_->parts.copy_numbers(data.features, pool);
      const bool is_read = !has_texts() || read_texts([&] {
        return rows_->read_part(*part, pool);
      });
      if (!is_read) return false;
      const Index num_read = has_texts()
                                 ? rows_->num_rows() - file->num_instances()
                                 : store_->parts.num_rows();
      file->append(data.features.data(), num_read);
      if (text_columns_ && num_read != store_->parts.num_rows()) {
        throw DataError(part->source.name,
                        "has rows whose texts were not found");
      }
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
    const Index known = store_->parts.num_rows();
    const Index rows = known >= 0 ? known : static_cast<Index>(most_rows(part));
    Matrix& features = instances_.data.features;
    if (features.cols() >= rows) return;
    check_matrix_memory(instances_.data.source, layout_.num_features, rows);
    resize_anew(features, layout_.num_features, rows);
  }

  void finish() {
    Dataset& data = instances_.data;
    const Index num_rows = this->num_rows();
    const auto size = static_cast<std::size_t>(num_rows);
    if (!has_texts()) {
      data.lines.resize(size);
      std::iota(data.lines.begin(), data.lines.end(), Index{1});
    }
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
    const bool has_header = layout_.has_header;
    if (has_header && layout_.label) data.label_name = layout_.label->name;
    auto& names = has_header ? data.feature_names : feature_columns_;
    names.resize(static_cast<std::size_t>(layout_.num_features));
    for (std::size_t i = 0; i < layout_.slots.size(); ++i) {
      const Index slot = layout_.slots[i];
      if (slot < 0) continue;
      names[static_cast<std::size_t>(slot)] =
          has_header ? layout_.column_names[i]
                     : layout_.index_name(static_cast<Index>(i));
    }
  }

  /// Reads the kept columns of all files.
  [[nodiscard]] std::vector<KeptColumn> read_kept() const {
    const std::vector<Index>& lines = instances_.data.lines;
    const CsvLayout& layout = text_layout();
    if (layout.kept.empty()) return {};
    const auto first_line = [&](std::size_t file) {
      return files_[file].pieces.front().first_line;
    };
    if (files_.size() == 1) {
      return read_kept_columns(texts_.front(), layout, lines, first_line(0));
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
      if (own.empty()) continue;
      append_kept_columns(
          all, read_kept_columns(texts_[i], layout, own, first_line(i)));
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
    MissingCodes codes(text_layout(), instances_.rules, missing);
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
  std::optional<CsvTextColumns> text_columns_;
  CsvInstances instances_;
  std::optional<CsvTextReader> rows_;  // from read() on
  const CsvStore* store_ = nullptr;
  std::vector<LeftOutColumn> left_out_;
  std::vector<std::string> feature_columns_;
};

}  // namespace mlp::datasets::detail
