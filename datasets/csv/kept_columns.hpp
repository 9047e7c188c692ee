// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "csv_scanner.hpp"
#include "layout/csv_layout.hpp"
#include "row_parts.hpp"

/// Columns of a CSV file whose texts are returned beside the instances.
namespace mlp::datasets {

/// A column with the text of each instance.
struct KeptColumn {
  /// The name in the header, or the 0-based index.
  std::string name;

  /// [num_instances]
  std::vector<std::string> texts;
};

namespace detail {

/// Reads the kept columns of the rows that became instances.
///
/// \param lines  the line of each instance, ascending
/// \param first_line  of the text
/// \pre    the rows were read without an error
/// \cost   one thread reads all fields up to the last kept column
inline std::vector<KeptColumn> read_kept_columns(
    std::string_view text, const CsvLayout& layout,
    const std::vector<Index>& lines, std::size_t first_line = 1) {
  std::vector<KeptColumn> kept;
  std::vector<std::vector<std::size_t>> targets(layout.slots.size());
  for (const Index column : layout.kept) {
    const auto at = static_cast<std::size_t>(column);
    targets[at].push_back(kept.size());
    kept.push_back({layout.has_header ? layout.column_names[at]
                                      : layout.index_name(column),
                    {}});
    kept.back().texts.reserve(lines.size());
  }
  if (kept.empty()) return kept;
  CsvScanner scanner(text, layout.dialect.delimiter, "", first_line);
  if (layout.is_of_table) scanner.count_records();
  std::size_t next = 0;
  while (next < lines.size() && scanner.next_record()) {
    const bool is_instance =
        static_cast<Index>(scanner.record_line()) == lines[next];
    std::size_t column = 0;
    do {
      const CsvField field = scanner.read_field();
      if (!is_instance) continue;
      for (const std::size_t target : targets[column++]) {
        kept[target].texts.push_back(field.value());
      }
    } while (!scanner.record_ended());
    next += is_instance ? 1 : 0;
  }
  return kept;
}

/// Appends the texts of more rows.
///
/// \param[in,out] all   empty, or the same columns as more
inline void append_kept_columns(std::vector<KeptColumn>& all,
                                std::vector<KeptColumn> more) {
  if (all.empty()) {
    all = std::move(more);
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::move(more[i].texts.begin(), more[i].texts.end(),
              std::back_inserter(all[i].texts));
  }
}

/// Returns the line of its file behind a part that is not empty. A line of another format
/// is a row.
inline Index end_line_of(const RowParts& parts, const FileInPieces& part) {
  const Index num_rows = parts.num_rows();
  if (num_rows < 0) return static_cast<Index>(part.pieces.back().end_line());
  return static_cast<Index>(part.pieces.front().first_line) + num_rows +
         (part.is_continued ? 0 : 1);
}

/// Reads the kept columns of files in one more pass over them.
///
/// \param lines  of each instance in all files, ascending
inline std::vector<KeptColumn> read_kept_columns(
    RowParts& parts, const CsvLayout& layout, const std::vector<Index>& lines,
    ThreadPool& pool) {
  std::vector<KeptColumn> all;
  if (layout.kept.empty()) return all;
  auto next = lines.begin();
  parts.restart();
  while (const FileInPieces* const part = parts.next(pool)) {
    if (part->pieces.empty()) continue;
    const Index before = part->source.lines_before;
    const Index end = before + end_line_of(parts, *part);
    std::vector<Index> own;
    for (; next != lines.end() && *next < end; ++next) {
      own.push_back(*next - before);
    }
    append_kept_columns(all,
                        read_kept_columns(part->text, layout, own,
                                          part->pieces.front().first_line));
  }
  return all;
}

}  // namespace detail

}  // namespace mlp::datasets
