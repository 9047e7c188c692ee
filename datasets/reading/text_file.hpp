// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "reader_threads.hpp"
#include "source_file.hpp"
#include "text_lines.hpp"

/// The text of the files that a reader reads as one, in pieces of whole lines.
namespace mlp::datasets {

/// The contents of a text file.
struct TextFile {
  std::string name;

  /// With or without byte order mark.
  std::string_view text;
};

namespace detail {

/// Whole lines of a text that one task reads.
struct TextPiece {
  std::string_view text;
  std::size_t first_line = 1;  ///< 1-based
  std::size_t num_lines = 0;

  /// Returns the number of the line after the piece.
  [[nodiscard]] std::size_t end_line() const { return first_line + num_lines; }
};

/// Divides text after line ends, by its bytes; the lines are not counted.
///
/// \returns consecutive pieces of the whole text; none if it is empty
inline std::vector<TextPiece> cut_at_lines(
    std::string_view text, std::size_t piece_bytes = PieceSizes{}.piece_bytes) {
  std::vector<TextPiece> pieces;
  while (!text.empty()) {
    const std::size_t from = std::min(piece_bytes, text.size()) - 1;
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    pieces.push_back(TextPiece{text.substr(0, end + 1)});
    text.remove_prefix(end + 1);
  }
  return pieces;
}

/// Divides text into pieces and counts the lines of each.
///
/// \throws DataError like count_lines_checked()
/// \cost one pass over the text
inline std::vector<TextPiece> make_pieces(
    std::string_view text, const std::string& source, ThreadPool& pool,
    std::size_t piece_bytes = PieceSizes{}.piece_bytes,
    std::size_t first_line = 1) {
  std::vector<TextPiece> pieces = cut_at_lines(text, piece_bytes);
  std::vector<LineScan> scans(pieces.size());
  pool.parallel_for(static_cast<Index>(pieces.size()), [&](Index i, int) {
    const auto at = static_cast<std::size_t>(i);
    scans[at] = scan_lines(pieces[at].text);
  });
  std::size_t line = first_line;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // A scan of the whole text finds the number of the invalid line.
    if (scans[i].is_suspect) {
      static_cast<void>(count_lines_checked(text, source, first_line));
    }
    pieces[i].first_line = line;
    pieces[i].num_lines = scans[i].num_lines;
    line = pieces[i].end_line();
  }
  return pieces;
}

/// Returns the total number of lines of the pieces.
inline std::size_t count_lines(const std::vector<TextPiece>& pieces) {
  return pieces.empty() ? 0
                        : pieces.back().end_line() - pieces.front().first_line;
}

/// A text file that is divided into pieces.
struct FileInPieces {
  SourceFile source;

  /// Without byte order mark.
  std::string_view text;

  /// With the lines of this file.
  std::vector<TextPiece> pieces;

  /// True for a part of a file that does not begin it.
  bool is_continued = false;
};

/// Returns the size of all texts without byte order marks.
inline std::size_t count_bytes(std::span<const TextFile> files) {
  std::size_t size = 0;
  for (const TextFile& file : files) {
    size += without_byte_order_mark(file.text).size();
  }
  return size;
}

/// Divides files into pieces, and counts their lines.
///
/// \throws DataError like count_lines_checked()
inline std::vector<FileInPieces> make_pieces(std::span<const TextFile> files,
                                             ThreadPool& pool,
                                             const PieceSizes& sizes = {}) {
  std::vector<FileInPieces> all;
  Index lines_before = 0;
  for (const TextFile& file : files) {
    const std::string_view text = without_byte_order_mark(file.text);
    FileInPieces& in_pieces = all.emplace_back();
    in_pieces.source = {file.name, lines_before};
    in_pieces.text = text;
    in_pieces.pieces = make_pieces(text, file.name, pool, sizes.piece_bytes);
    lines_before += static_cast<Index>(count_lines(in_pieces.pieces));
  }
  return all;
}

/// Returns the names of several files for Dataset::files; nothing for one file.
inline std::vector<SourceFile> source_files(
    const std::vector<FileInPieces>& files) {
  std::vector<SourceFile> sources;
  if (files.size() < 2) return sources;
  for (const FileInPieces& file : files) sources.push_back(file.source);
  return sources;
}

}  // namespace detail

}  // namespace mlp::datasets
