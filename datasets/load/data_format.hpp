// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/suggestion.hpp"
#include "../binary/foreign_format.hpp"
#include "../binary/gzip.hpp"
#include "../binary/npy.hpp"
#include "../csv/layout/csv_header.hpp"
#include "../libsvm/libsvm_piece.hpp"
#include "../reading/text_encoding.hpp"
#include "../reading/text_lines.hpp"

/// The format of a data file, by its name and its first bytes.
namespace mlp::datasets::detail {

/// Returns true if a path has an ending, in any case.
inline bool has_ending(std::string_view path, std::string_view ending) {
  return path.size() >= ending.size() &&
         equals_ignoring_case(path.substr(path.size() - ending.size()), ending);
}

/// Returns true for a line with a label and at least one index:value pair.
inline bool is_libsvm_line(std::string_view line) {
  if (!parse_double(take_token(line))) return false;
  bool has_pair = false;
  for (auto token = take_token(line); !token.empty();
       token = take_token(line)) {
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos || !parse_int(token.substr(0, colon))) {
      return false;
    }
    has_pair = true;
  }
  return has_pair;
}

/// Returns true if the first line with more than a label is a LIBSVM line.
inline bool is_libsvm_text(std::string_view text) {
  text = without_byte_order_mark(text);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    std::string_view rest = line;
    if (is_libsvm_comment(line)) continue;
    if (is_libsvm_line(line)) return true;
    if (!parse_double(take_token(rest)) || !take_token(rest).empty()) {
      return false;
    }
  }
  return false;
}

/// Returns true for LIBSVM and false for CSV, by file name or else by the text.
inline bool is_libsvm_file(std::string_view path, std::string_view text) {
  if (has_ending(path, ".gz")) path.remove_suffix(3);
  if (has_ending(path, ".libsvm") || has_ending(path, ".svm")) return true;
  if (has_ending(path, ".csv") || has_ending(path, ".tsv")) return false;
  return is_libsvm_text(text);
}

/// Returns true for the bytes of a .npy file or a file name that ends in .npy.
inline bool is_npy_file(std::string_view path, std::string_view bytes) {
  return is_npy(bytes) || has_ending(path, ".npy");
}

/// Returns true for bytes that start like an idx file, even a broken one. Text
/// never starts like this.
inline bool starts_as_idx(std::string_view bytes) {
  return bytes.substr(0, 2) == std::string_view("\0\0", 2);
}

/// The formats that can be read.
enum class DataFormat { kNpy, kIdx, kLibsvm, kCsv };

/// The names of the formats with their articles, for messages.
inline constexpr auto kDataFormatNames = std::to_array<Named<DataFormat>>({
    {DataFormat::kNpy, "a .npy file"},
    {DataFormat::kIdx, "an idx file"},
    {DataFormat::kLibsvm, "a LIBSVM file"},
    {DataFormat::kCsv, "a CSV or TSV file"},
});

/// Returns the format of a file that is not compressed. Formats that are recognised
/// but not supported count as text.
inline DataFormat format_of(std::string_view path, std::string_view bytes) {
  if (is_npy_file(path, bytes)) return DataFormat::kNpy;
  if (starts_as_idx(bytes)) return DataFormat::kIdx;
  return is_libsvm_file(path, bytes) ? DataFormat::kLibsvm : DataFormat::kCsv;
}

/// Returns true for a file that is read as CSV, without being decompressed or decoded.
///
/// \param bytes  the file, or its first lines
inline bool is_plain_csv(std::string_view path, std::string_view bytes) {
  return !is_gzip(bytes) && !is_npy_file(path, bytes) &&
         !starts_as_idx(bytes) && find_encoding(bytes) == TextEncoding::kUtf8 &&
         !find_foreign_format(bytes) && !is_libsvm_file(path, bytes);
}

}  // namespace mlp::datasets::detail
