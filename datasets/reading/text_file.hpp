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
#include "text_chunks.hpp"
#include "text_lines.hpp"

/// The text of one of the files that a reader reads as one.
namespace mlp::datasets {

/// The contents of a text file.
struct TextFile {
  std::string name;

  /// With or without byte order mark.
  std::string_view text;
};

namespace detail {

/// A text file that is divided into chunks.
struct ChunkedFile {
  SourceFile source;

  /// Without byte order mark.
  std::string_view text;

  /// With the lines of this file.
  std::vector<TextChunk> chunks;
};

/// Returns the size of all texts without byte order marks.
inline std::size_t count_bytes(std::span<const TextFile> files) {
  std::size_t size = 0;
  for (const TextFile& file : files) {
    size += without_byte_order_mark(file.text).size();
  }
  return size;
}

/// Divides files into chunks, and counts their lines.
///
/// \throws DataError like count_lines_checked()
inline std::vector<ChunkedFile> make_chunks(std::span<const TextFile> files,
                                            ThreadPool& pool,
                                            const PieceSizes& sizes = {}) {
  std::vector<ChunkedFile> all;
  Index lines_before = 0;
  for (const TextFile& file : files) {
    const std::string_view text = without_byte_order_mark(file.text);
    ChunkedFile& chunked = all.emplace_back();
    chunked.source = {file.name, lines_before};
    chunked.text = text;
    chunked.chunks = make_chunks(text, file.name, pool, sizes.chunk_bytes);
    lines_before += static_cast<Index>(count_lines(chunked.chunks));
  }
  return all;
}

/// Returns the names of several files for Dataset::files; nothing for one file.
inline std::vector<SourceFile> source_files(
    const std::vector<ChunkedFile>& files) {
  std::vector<SourceFile> sources;
  if (files.size() < 2) return sources;
  for (const ChunkedFile& file : files) sources.push_back(file.source);
  return sources;
}

}  // namespace detail

}  // namespace mlp::datasets
