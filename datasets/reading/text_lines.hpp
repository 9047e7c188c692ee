// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "limits.hpp"

/// Line counts and checks of text files.
namespace mlp::datasets::detail {

/// Returns the text without the UTF-8 byte order mark.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
}

/// The result of a fast scan of a text.
struct LineScan {
  std::size_t num_lines = 0;

  /// True if a line may be too long or there is a NUL byte.
  bool is_suspect = false;
};

/// The result of a scan of a block of bytes.
struct ByteScan {
  std::size_t num_line_ends = 0;
  bool has_nul = false;
};

/// Number of lanes of scan_bytes() and its maximum number of bytes. A lane
/// counts up to 255, which limits the number of steps.
inline constexpr std::size_t kScanLanes = 64;
inline constexpr std::size_t kScanBytes = 255 * kScanLanes;

/// Scans bytes in lanes, a form that compilers vectorise.
///
/// \param bytes  at most kScanBytes
inline ByteScan scan_bytes(std::string_view bytes) {
  std::array<unsigned char, kScanLanes> line_ends{};
  std::array<unsigned char, kScanLanes> nuls{};
  const char* at = bytes.data();
  const std::size_t num_steps = bytes.size() / kScanLanes;
  for (std::size_t step = 0; step < num_steps; ++step, at += kScanLanes) {
    for (std::size_t i = 0; i < kScanLanes; ++i) {
      line_ends[i] = static_cast<unsigned char>(line_ends[i] + (at[i] == '\n'));
      nuls[i] = static_cast<unsigned char>(nuls[i] | (at[i] == '\0'));
    }
  }
  ByteScan scan;
  for (std::size_t i = 0; i < kScanLanes; ++i) {
    scan.num_line_ends += line_ends[i];
    scan.has_nul = scan.has_nul || nuls[i] != 0;
  }
  for (const char byte : bytes.substr(num_steps * kScanLanes)) {
    scan.num_line_ends += byte == '\n' ? 1 : 0;
    scan.has_nul = scan.has_nul || byte == '\0';
  }
  return scan;
}

/// Counts the lines of a text; the last line may have no line end.
inline LineScan scan_lines(std::string_view text) {
  LineScan scan;
  if (!text.empty() && text.back() != '\n') scan.num_lines = 1;
  std::size_t run_bytes = 0;
  for (; !text.empty(); text.remove_prefix(std::min(kScanBytes, text.size()))) {
    const ByteScan found = scan_bytes(text.substr(0, kScanBytes));
    scan.num_lines += found.num_line_ends;
    run_bytes = found.num_line_ends == 0 ? run_bytes + kScanBytes : 0;
    // The blocks in which a line begins and ends are not part of the run.
    scan.is_suspect = scan.is_suspect || found.has_nul ||
                      run_bytes + 2 * kScanBytes > kMaxLineBytes;
  }
  return scan;
}

/// Counts and checks the lines of a text; the last line may have no line end.
///
/// \param first_line  1-based line of a file in which the text begins, for messages
/// \throws DataError if there is a NUL byte or a line is longer than
///         kMaxLineBytes
inline std::size_t count_lines_checked(std::string_view text,
                                       const std::string& source,
                                       std::size_t first_line = 1) {
  const LineScan scan = scan_lines(text);
  if (!scan.is_suspect) return scan.num_lines;
  std::size_t num_lines = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++num_lines;
    const std::string_view line = text.substr(begin, end - begin);
    if (line.size() > kMaxLineBytes) {
      throw DataError(
          source, FilePosition{first_line - 1 + num_lines, kMaxLineBytes + 1},
          "the line is too long; expected at most " +
              std::to_string(kMaxLineBytes) + " bytes, got " +
              std::to_string(line.size()));
    }
    const std::size_t nul = line.find('\0');
    if (nul != std::string_view::npos) {
      throw DataError(source, FilePosition{first_line - 1 + num_lines, nul + 1},
                      "there is a NUL byte; expected text in UTF-8, got a "
                      "binary file or UTF-16");
    }
    begin = end + 1;
  }
  return num_lines;
}

}  // namespace mlp::datasets::detail
