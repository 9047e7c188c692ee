// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../reading/label_spellings.hpp"
#include "../reading/text_file.hpp"
#include "csv_rows.hpp"
#include "layout/csv_layout.hpp"

/// Reads the rows of whole texts of CSV with several threads.
namespace mlp::datasets::detail {

/// Reserves memory, in large pages.
template <typename Value>
void reserve_rows(std::vector<Value>& values, std::size_t size) {
  values.reserve(size);
  advise_huge_pages(values.data(), size * sizeof(Value));
}

/// Reads the rows of texts behind those that were read before.
class CsvTextReader {
 public:
  /// \param layout     must outlive this object
  /// \param instances  must outlive this object; its feature matrix has a column for
  ///                   each row of the texts that are read next
  CsvTextReader(const CsvLayout& layout, CsvInstances& instances)
      : layout_(layout), instances_(instances) {}

  /// Reads all rows. If lines are not rows, threads may have taken parts of texts for
  /// categories or numbers, so the rules of the columns forget what they have seen.
  ///
  /// \returns false if a label is not a number, so that all labels must be read as
  ///          texts
  /// \throws DataError for a wrong row
  bool read_all(std::span<const FileInPieces> files, ThreadPool& pool) {
    start();
    if (pool.num_threads() > 1) {
      const Outcome outcome = read_files(files, pool);
      if (outcome != Outcome::kIrregular) return outcome == Outcome::kRead;
      instances_.rules.forget();
      start();
    }
    return read_one_by_one(files);
  }

  /// Reads the rows of one more part of a file. If it has a quote, a line may be a part
  /// of a row, so that one thread reads it.
  ///
  /// \param file  must outlive the rows that are read next
  /// \returns false as read_all()
  /// \throws DataError for a wrong row
  bool read_part(const FileInPieces& file, ThreadPool& pool) {
    const Index first = num_rows_;
    const Index num_empty = num_empty_lines_;
    const std::span<const FileInPieces> files(&file, 1);
    if (pool.num_threads() > 1 && file.text.find('"') == file.text.npos) {
      LabelSpellings spellings = instances_.spellings;
      const Outcome outcome = read_files(files, pool);
      if (outcome != Outcome::kIrregular) return outcome == Outcome::kRead;
      instances_.spellings = std::move(spellings);
      num_rows_ = first;
      num_empty_lines_ = num_empty;
    }
    return read_one_by_one(files);
  }

  /// Returns the number of rows so far.
  [[nodiscard]] Index num_rows() const { return num_rows_; }

  /// Returns the number of empty lines between the rows so far.
  [[nodiscard]] Index num_empty_lines() const { return num_empty_lines_; }

  /// Forgets the rows so far.
  void start() {
    instances_.spellings = {};
    num_rows_ = num_empty_lines_ = 0;
  }

 private:
  enum class Outcome {
    kRead,
    kOddLabel,  ///< a label is not a number
    kIrregular  ///< a line is not one row, or a row is wrong
  };

  bool read_one_by_one(std::span<const FileInPieces> files) {
    for (const FileInPieces& file : files) {
      CsvRowReader rows(first_piece(file), layout_, instances_, num_rows_,
                        &file.source);
      if (has_header(file)) rows.skip_record();
      while (rows.read_row()) {
      }
      if (rows.has_odd_label()) return false;
      num_rows_ = rows.next_row();
      num_empty_lines_ += rows.num_empty_lines();
      instances_.spellings.merge(rows.spellings());
    }
    return true;
  }

  [[nodiscard]] bool has_header(const FileInPieces& file) const {
    return layout_.has_header && !file.is_continued;
  }

  /// Returns the whole text of a file.
  [[nodiscard]] static TextPiece first_piece(const FileInPieces& file) {
    TextPiece all{file.text};
    if (!file.pieces.empty()) all.first_line = file.pieces.front().first_line;
    return all;
  }

  /// Reads the files with several threads, one file after the other.
  Outcome read_files(std::span<const FileInPieces> files, ThreadPool& pool) {
    for (const FileInPieces& file : files) {
      CsvRowReader first(first_piece(file), layout_, instances_, num_rows_,
                         &file.source);
      if (has_header(file)) first.skip_record();
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
    const auto num_kept = static_cast<Index>(size) - instances_.num_stored;
    // A row has at least one byte per column and one for each delimiter or line
    // end.
    const auto columns = static_cast<std::size_t>(layout_.num_columns());
    if (num_kept > instances_.data.features.cols() ||
        2 * columns * num_lines > file.text.size() + 1) {
      return false;
    }
    instances_.data.lines.resize(size);
    if (layout_.weight_column >= 0) instances_.weights.resize(size);
    if (!layout_.label) return true;
    if (instances_.labels_are_texts) {
      instances_.data.label_texts.resize(size);
    } else {
      instances_.labels.resize(size);
    }
    return true;
  }

  const CsvLayout& layout_;
  CsvInstances& instances_;
  std::mutex spellings_mutex_;
  Index num_rows_ = 0;
  Index num_empty_lines_ = 0;
};

}  // namespace mlp::datasets::detail
