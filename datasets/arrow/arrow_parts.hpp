// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../csv/row_parts.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "arrow_batch.hpp"
#include "arrow_columns.hpp"
#include "arrow_fields.hpp"
#include "arrow_interface.hpp"
#include "arrow_stream.hpp"

/// The rows of Arrow tables, one part after another.
namespace mlp::datasets::detail {

/// Cuts tables into parts of a few rows.
class ArrowParts final : public RowParts {
 public:
  /// \param files         can be opened several times; must outlive this object, as
  ///                      the columns
  /// \param rows_at_once  the most rows of a part
  ArrowParts(const std::vector<ArrowFile>& files, const ArrowColumns& columns,
             Index rows_at_once)
      : files_(files), columns_(columns), rows_at_once_(rows_at_once) {}

  void restart() override {
    stream_.reset();
    array_ = nullptr;
    sources_.clear();
    num_rows_before_ = count_ = 0;
  }

  [[nodiscard]] const FileInPieces* next(ThreadPool& pool) override {
    while (!take_rows()) {
      if (sources_.size() == files_.size()) return nullptr;
      open(files_[sources_.size()]);
    }
    batch_.emplace(columns_, ArrowRows{*stream_, *array_, first_, count_,
                                       num_rows_before_});
    // The header is line 0 of a file, so that a line is a row.
    part_.is_continued = num_rows_before_ != 0;
    text_ = part_.is_continued ? "" : columns_.text_header();
    batch_->append_texts(text_);
    part_.source = sources_.back();
    part_.text = text_;
    const auto first_line = static_cast<std::size_t>(num_rows_before_);
    part_.pieces = make_pieces(part_.text, part_.source.name, pool,
                               PieceSizes{}.piece_bytes,
                               part_.is_continued ? first_line + 1 : 0);
    return &part_;
  }

  [[nodiscard]] Index num_rows() const override { return count_; }

  void copy_numbers(Matrix& features, ThreadPool& pool) override {
    batch_->copy_numbers(features, 0, pool);
  }

  [[nodiscard]] const std::vector<SourceFile>& sources() const override {
    return sources_;
  }

 private:
  void open(const ArrowFile& file) {
    const Index lines_before =
        sources_.empty() ? 0 : sources_.back().lines_before + num_rows_before_;
    stream_ = file.open(columns_.needed);
    array_ = nullptr;
    sources_.push_back({file.name, lines_before});
    num_rows_before_ = count_ = 0;
  }

  /// Takes the next rows of the file.
  ///
  /// \return false at its end
  [[nodiscard]] bool take_rows() {
    if (!stream_) return false;
    num_rows_before_ += count_;
    first_ += count_;
    count_ = 0;
    if (array_ == nullptr || first_ == array_->length) {
      batch_.reset();
      array_ = stream_->next();
      first_ = 0;
    }
    if (array_ == nullptr) {
      check_num_rows(files_[sources_.size() - 1], num_rows_before_);
      stream_.reset();
      return false;
    }
    count_ = std::min(rows_at_once_, array_->length - first_);
    return true;
  }

  const std::vector<ArrowFile>& files_;
  const ArrowColumns& columns_;
  Index rows_at_once_;
  std::shared_ptr<ArrowStream> stream_;
  const ArrowArray* array_ = nullptr;
  Index first_ = 0;            ///< of the array
  Index count_ = 0;            ///< of the part
  Index num_rows_before_ = 0;  ///< of the file
  std::optional<ArrowBatch> batch_;
  std::vector<SourceFile> sources_;
  std::string text_;
  FileInPieces part_;
};

}  // namespace mlp::datasets::detail
