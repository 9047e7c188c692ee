// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include "text_pieces.hpp"

/// The text of one of the files that a reader reads as one.
namespace mlp::datasets {

/// The contents of a text file.
struct TextFile {
  std::string name;

  /// With or without byte order mark.
  std::string_view text;
};

namespace detail {

/// A text file that is divided into pieces.
struct FileInPieces {
  SourceFile source;

  /// Without byte order mark.
  std::string_view text;

  /// With the lines of this file.
  std::vector<TextPiece> pieces;
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
