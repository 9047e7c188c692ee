// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../csv/column_error.hpp"
#include "../csv/column_survey.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/csv_reader.hpp"
#include "../csv/csv_table.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/text_file.hpp"
#include "arrow_batch.hpp"
#include "arrow_columns.hpp"
#include "arrow_fields.hpp"
#include "arrow_interface.hpp"
#include "arrow_parts.hpp"
#include "arrow_stream.hpp"
#include "arrow_text.hpp"

/// Reader for the rows of Arrow tables.
namespace mlp::datasets::detail {

/// Reads the rows of Arrow tables as one.
class ArrowReader {
 public:
  /// \param files  must outlive this object   [at least 1]
  /// \throws the errors of ArrowColumns
  ArrowReader(const std::vector<ArrowFile>& files, std::string source,
              const CsvOptions& options)
      : files_(files),
        source_(std::move(source)),
        options_(table_options(options)),
        columns_(files, source_, options_) {}

  /// Returns the memory that the features need, if the numbers of rows are known.
  [[nodiscard]] double num_bytes() const {
    return sizeof(double) * static_cast<double>(num_known_rows()) *
           static_cast<double>(columns_.layout.num_features);
  }

  /// Reads the rows into memory. Files that can be read once are read once.
  ///
  /// \throws DataError naming a file and its row; ResourceError if the features do not
  ///         fit into memory
  [[nodiscard]] CsvTable read() try {
    columns_.require_types();
    grow(num_known_rows());
    ReaderThreads threads(options_.num_threads, estimate_bytes());
    std::vector<std::string> texts;
    std::vector<Index> rows_before;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      rows_before.push_back(num_rows_);
      texts.push_back(read_file(i, threads.pool()));
    }
    if (num_rows_ == 0) {
      throw DataError(source_, "has no rows; expected rows of numbers");
    }
    features_.conservativeResize(Eigen::NoChange, num_rows_);
    return read_table(threads.pool(), [&] {
      return CsvReader(cut(texts, rows_before, threads.pool()), source_,
                       columns_.layout, options_, columns_.texts,
                       std::move(features_));
    });
  } catch (ColumnError& error) {
    add_survey(error);
    throw;
  }

  /// Reads the rows part by part, and puts their features into a file. No column is
  /// kept.
  ///
  /// \param folder  of the file, on a disk
  /// \pre    the files can be opened several times
  /// \throws as read(); ResourceError if the disk is full
  [[nodiscard]] CsvTable store(const std::string& folder) const try {
    columns_.require_types();
    constexpr Index kPartNumbers = Index{1} << 20;
    ReaderThreads threads(options_.num_threads, estimate_bytes());
    ArrowParts parts(
        files_, columns_,
        std::max<Index>(1, kPartNumbers / columns_.layout.num_features));
    const CsvStore store{parts, folder, static_cast<double>(num_known_rows())};
    const std::string header = columns_.text_header();
    FileInPieces first;
    first.source.name = files_.front().name;
    first.text = header;
    return read_table(threads.pool(), [&] {
      return CsvReader(first, source_, columns_.layout, options_, store,
                       columns_.texts);
    });
  } catch (ColumnError& error) {
    add_survey(error);
    throw;
  }

 private:
  /// Calls make_reader() and reads the table.
  template <typename MakeReader>
  [[nodiscard]] static CsvTable read_table(ThreadPool& pool,
                                           const MakeReader& make_reader) {
    return with_places_of_rows(true, [&] {
      CsvTable table = make_reader().read(pool);
      table.delimiter = 0;
      return table;
    });
  }

  /// Adds what all columns have to an error. A stream that exists once tells only of its
  /// texts.
  void add_survey(ColumnError& error) const {
    const bool is_known = num_known_rows() > 0;
    if (!is_known && error.survey() != nullptr) return;
    const std::string text = is_known ? table_text(files_, columns_) : "";
    const std::string_view all = text;
    CsvSurvey survey =
        survey_columns({&all, is_known ? 1U : 0U}, columns_.layout);
    for (std::size_t i = 0; i < survey.columns.size(); ++i) {
      const ArrowField& field = columns_.field(static_cast<Index>(i));
      const bool is_read = field.element >= 0 || field.type.is_value();
      if (!is_read) survey.columns[i].what = field.type.what;
    }
    error.set_survey(std::make_shared<const CsvSurvey>(std::move(survey)));
  }

  [[nodiscard]] Index num_known_rows() const {
    Index known = 0;
    for (const ArrowFile& file : files_) {
      known += std::max<Index>(file.num_rows, 0);
    }
    return known;
  }

  /// Returns about how many bytes the features take; many if it is not known.
  [[nodiscard]] std::size_t estimate_bytes() const {
    constexpr std::size_t kMany = std::size_t{1} << 40;
    const auto size = static_cast<std::size_t>(features_.size());
    return size == 0 ? kMany : sizeof(double) * size;
  }

  /// Makes room for rows.
  void grow(Index num_rows) {
    if (num_rows <= features_.cols()) return;
    const Index width = columns_.layout.num_features;
    check_matrix_size(source_, static_cast<std::uint64_t>(width),
                      static_cast<std::uint64_t>(num_rows));
    check_matrix_memory(source_, width, num_rows - features_.cols());
    features_.conservativeResize(width, num_rows);
    if (num_rows_ != 0) return;
    advise_huge_pages(
        features_.data(),
        sizeof(double) * static_cast<std::size_t>(features_.size()));
  }

  /// Reads the rows of a file.
  ///
  /// \return the text of its columns of texts
  std::string read_file(std::size_t file, ThreadPool& pool) {
    const auto stream = files_[file].open(columns_.needed);
    std::string text = columns_.text_header();
    const Index before = num_rows_;
    while (const ArrowArray* const array = stream->next()) {
      const Index needed = num_rows_ + array->length;
      if (needed > features_.cols()) {
        grow(num_rows_ == 0 ? needed : std::max(needed, 2 * num_rows_));
      }
      const ArrowBatch batch(
          columns_, {*stream, *array, 0, array->length, num_rows_ - before});
      batch.copy_numbers(features_, num_rows_, pool);
      batch.append_texts(text);
      num_rows_ = needed;
    }
    check_num_rows(files_[file], num_rows_ - before);
    return text;
  }

  /// Divides the texts into pieces. The header is line 0, so that a line is a row.
  [[nodiscard]] std::vector<FileInPieces> cut(
      const std::vector<std::string>& texts,
      const std::vector<Index>& rows_before, ThreadPool& pool) const {
    std::vector<FileInPieces> files;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      FileInPieces& file = files.emplace_back();
      file.source = {files_[i].name, rows_before[i]};
      file.text = texts[i];
      file.pieces = make_pieces(file.text, file.source.name, pool,
                                PieceSizes{}.piece_bytes, 0);
    }
    return files;
  }

  const std::vector<ArrowFile>& files_;
  std::string source_;
  CsvOptions options_;
  ArrowColumns columns_;
  Matrix features_;
  Index num_rows_ = 0;
};

}  // namespace mlp::datasets::detail
