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

/// The text of the files that a reader reads as one, in chunks of whole lines.
namespace mlp::datasets {

/// The contents of a text file.
struct TextFile {
  std::string name;

  /// With or without byte order mark.
  std::string_view text;
};

namespace detail {

/// Whole lines of a text that one task reads.
struct TextChunk {
  std::string_view text;
  std::size_t first_line = 1;  ///< 1-based
  std::size_t num_lines = 0;

  /// Returns the number of the line after the chunk.
  [[nodiscard]] std::size_t end_line() const { return first_line + num_lines; }
};

/// Divides text after line ends, by its bytes; the lines are not counted.
///
/// \returns consecutive chunks of the whole text; none if it is empty
inline std::vector<TextChunk> cut_at_lines(
    std::string_view text, std::size_t chunk_bytes = PieceSizes{}.chunk_bytes) {
  std::vector<TextChunk> chunks;
  while (!text.empty()) {
    const std::size_t from = std::min(chunk_bytes, text.size()) - 1;
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    chunks.push_back(TextChunk{text.substr(0, end + 1)});
    text.remove_prefix(end + 1);
  }
  return chunks;
}

/// Divides text into chunks and counts the lines of each.
///
/// \throws DataError like count_lines_checked()
/// \cost one pass over the text
inline std::vector<TextChunk> make_chunks(
    std::string_view text, const std::string& source, ThreadPool& pool,
    std::size_t chunk_bytes = PieceSizes{}.chunk_bytes) {
  std::vector<TextChunk> chunks = cut_at_lines(text, chunk_bytes);
  std::vector<LineScan> scans(chunks.size());
  pool.parallel_for(static_cast<Index>(chunks.size()), [&](Index i, int) {
    const auto at = static_cast<std::size_t>(i);
    scans[at] = scan_lines(chunks[at].text);
  });
  std::size_t line = 1;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // A scan of the whole text finds the number of the invalid line.
    if (scans[i].is_suspect) {
      static_cast<void>(count_lines_checked(text, source));
    }
    chunks[i].first_line = line;
    chunks[i].num_lines = scans[i].num_lines;
    line = chunks[i].end_line();
  }
  return chunks;
}

/// Returns the total number of lines of the chunks.
inline std::size_t count_lines(const std::vector<TextChunk>& chunks) {
  return chunks.empty() ? 0 : chunks.back().end_line() - 1;
}

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
