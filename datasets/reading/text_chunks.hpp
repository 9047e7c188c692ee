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
#include "text_lines.hpp"

namespace mlp::datasets::detail {

/// Whole lines of a text that one thread reads at one go.
struct TextChunk {
  std::string_view text;
  std::size_t first_line = 1;  ///< 1-based
  std::size_t num_lines = 0;

  /// The number of the line behind.
  [[nodiscard]] std::size_t end_line() const { return first_line + num_lines; }
};

/// Bytes that a chunk has at least, unless it is the last one: few enough to
/// stay in a cache, and enough to outweigh the start of a task.
inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

/// Cuts text behind line ends, by its bytes alone; the lines are not counted.
///
/// \returns chunks that make up the text; none for empty text
inline std::vector<TextChunk> cut_at_lines(
    std::string_view text, std::size_t chunk_bytes = kChunkBytes) {
  std::vector<TextChunk> chunks;
  while (!text.empty()) {
    const std::size_t from = std::min(chunk_bytes, text.size()) - 1;
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    chunks.push_back(TextChunk{text.substr(0, end + 1)});
    text.remove_prefix(end + 1);
  }
  return chunks;
}

/// Cuts text into chunks and counts the lines of each.
///
/// \throws DataError as count_lines_checked() does
/// \cost one pass over the text
inline std::vector<TextChunk> make_chunks(
    std::string_view text, const std::string& source, ThreadPool& pool,
    std::size_t chunk_bytes = kChunkBytes) {
  std::vector<TextChunk> chunks = cut_at_lines(text, chunk_bytes);
  std::vector<LineScan> scans(chunks.size());
  pool.parallel_for(static_cast<Index>(chunks.size()), [&](Index i, int) {
    const auto at = static_cast<std::size_t>(i);
    scans[at] = scan_lines(chunks[at].text);
  });
  std::size_t line = 1;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // The whole text tells the number of the line at fault.
    if (scans[i].is_suspect) {
      static_cast<void>(count_lines_checked(text, source));
    }
    chunks[i].first_line = line;
    chunks[i].num_lines = scans[i].num_lines;
    line = chunks[i].end_line();
  }
  return chunks;
}

/// The number of lines that chunks have together.
inline std::size_t count_lines(const std::vector<TextChunk>& chunks) {
  return chunks.empty() ? 0 : chunks.back().end_line() - 1;
}

}  // namespace mlp::datasets::detail
