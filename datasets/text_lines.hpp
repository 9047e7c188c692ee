// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/error.hpp"
#include "limits.hpp"

namespace mlp::datasets::detail {

/// The text behind UTF-8's byte order mark, if it has one.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
}

/// Counts the lines of a text; the last one may lack its end.
///
/// \throws DataError at a NUL byte, which text does not have, and at a line
///         longer than kMaxLineBytes
inline std::size_t count_lines_checked(std::string_view text,
                                       const std::string& source) {
  std::size_t num_lines = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++num_lines;
    const std::string_view line = text.substr(begin, end - begin);
    if (line.size() > kMaxLineBytes) {
      throw DataError(source, FilePosition{num_lines, kMaxLineBytes + 1},
                      "the line is too long; expected at most " +
                          std::to_string(kMaxLineBytes) + " bytes, got " +
                          std::to_string(line.size()));
    }
    const std::size_t nul = line.find('\0');
    if (nul != std::string_view::npos) {
      throw DataError(source, FilePosition{num_lines, nul + 1},
                      "there is a NUL byte; expected text in UTF-8, got a "
                      "binary file or UTF-16");
    }
    begin = end + 1;
  }
  return num_lines;
}

}  // namespace mlp::datasets::detail
