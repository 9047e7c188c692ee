// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "reader_threads.hpp"
#include "text_lines.hpp"

/// Division of text into chunks of whole lines, for reading with threads.
namespace mlp::datasets::detail {

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

}  // namespace mlp::datasets::detail
