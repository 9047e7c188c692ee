// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text of a file as error messages show it: in quotes, on one line,
// shortened.

#include <cstddef>
#include <string>
#include <string_view>

#include "../../core/utf8.hpp"

namespace mlp::datasets {

/// Text of a file as a message shows it: in quotes, on one line, at most 40
/// bytes of it, control characters escaped.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  std::size_t size = text.size();
  if (size > kMaxBytes) {
    size = kMaxBytes;
    while (size > 0 && is_utf8_continuation(text[size])) --size;
  }
  const std::string_view rest = size < text.size() ? "..." : "";
  return '\'' + printable(text.substr(0, size)).append(rest) + '\'';
}

/// What is wrong with a text that is not UTF-8, and what to do, as the end of a
/// message. Most other files are of Windows, whose encoding has all characters of Latin-1.
///
/// \param source    the name of the file
/// \param is_table  true for a format such as Parquet, whose files are no texts
[[nodiscard]] inline std::string not_utf8(const std::string& source,
                                          bool is_table = false) {
  if (is_table) return "is not UTF-8; write the table with texts in UTF-8";
  const bool is_file = !source.empty() && source.front() != '(';
  return "is not UTF-8; convert the file: iconv -f WINDOWS-1252 -t "
         "UTF-8" +
         (is_file ? ' ' + source : "");
}

/// Names as a message lists them: quoted, at most ten of them.
template <typename Names>
[[nodiscard]] std::string quoted_list(const Names& names) {
  constexpr std::size_t kMaxNames = 10;
  std::string shown;
  std::size_t count = 0;
  for (const auto& name : names) {
    if (count++ >= kMaxNames) continue;
    if (!shown.empty()) shown += ", ";
    shown += in_quotes(name);
  }
  if (count > kMaxNames) {
    shown += " and " + std::to_string(count - kMaxNames) + " more";
  }
  return shown;
}

}  // namespace mlp::datasets
