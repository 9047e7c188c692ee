// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/text_file.hpp"
#include "csv_options.hpp"
#include "csv_reader.hpp"
#include "csv_table.hpp"
#include "layout/csv_first_rows.hpp"
#include "layout/csv_layout.hpp"

/// Reader for CSV and TSV files.
namespace mlp::datasets {

namespace detail {

/// Reads CSV files as read_csv() does, in pieces of other sizes.
inline CsvTable read_csv_texts(std::span<const TextFile> files,
                               const std::string& source,
                               const CsvOptions& options,
                               const PieceSizes& sizes = {}) {
  ReaderThreads threads(options.num_threads, count_bytes(files), sizes);
  std::vector<FileInPieces> in_pieces =
      make_pieces(files, threads.pool(), sizes);
  CsvLayout layout = find_layout(files, options);
  return CsvReader(std::move(in_pieces), source, std::move(layout), options)
      .read(threads.pool());
}

/// Reads CSV text as read_csv() does, in pieces of other sizes.
inline CsvTable read_csv_text(std::string_view text, const std::string& source,
                              const CsvOptions& options,
                              const PieceSizes& sizes = {}) {
  const TextFile file{source, text};
  return read_csv_texts({&file, 1}, source, options, sizes);
}

}  // namespace detail

/// Reads CSV or TSV text.
///
/// HeaderDecision has the rules of headers.
/// Features and weights must be finite decimal numbers, unless the options allow
/// categories or missing values; weights must not be negative. Labels are numbers
/// or, if one of them is not a number, texts to be indexed. The order of the rows
/// is kept.
/// \param text    UTF-8, with or without byte order mark
/// \param source  the file name shown in messages
/// \throws DataError with file, line and column if rows have different lengths,
///         a field is missing or not a number, a weight is negative, a line
///         exceeds 16 MiB, quotes are wrong, the text has a NUL byte, or the
///         options name columns that do not exist
/// \cost   memory for the features of at most four times the text, plus labels
/// \source RFC 4180
[[nodiscard]] inline CsvTable read_csv(std::string_view text,
                                       const std::string& source,
                                       const CsvOptions& options = {}) {
  return detail::read_csv_text(text, source, options);
}

/// Reads several CSV or TSV texts as one.
///
/// The kinds of labels and columns are those of all texts together. If the first
/// text with rows has a header, each other one must have the same header; otherwise
/// each must have the same number of columns. An error names the file and its line.
/// \param files   in the order of the rows   [at least 1]
/// \param source  the name of all of them for messages
/// \throws the errors of read_csv(); DataError naming a text with other columns
[[nodiscard]] inline CsvTable read_csv(std::span<const TextFile> files,
                                       const std::string& source,
                                       const CsvOptions& options = {}) {
  return detail::read_csv_texts(files, source, options);
}

/// Reads a CSV or TSV file.
///
/// \throws the errors of read_csv() and read_file()
[[nodiscard]] inline CsvTable read_csv_file(const std::string& path,
                                            const CsvOptions& options = {}) {
  return read_csv(read_file<DataError>(path), path, options);
}

}  // namespace mlp::datasets
