// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

/// Splitting of LIBSVM text into lines and tokens.
namespace mlp::datasets::detail {

/// Returns true for a byte that separates tokens: a space, a tab or the CR of a
/// CRLF.
inline bool is_libsvm_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Removes and returns the next token of a line; empty at the end of the line.
inline std::string_view take_token(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_libsvm_space(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_libsvm_space(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

/// Removes and returns the next line of a text, without its LF.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Returns true for a line without an instance: empty or a comment.
inline bool is_libsvm_comment(std::string_view line) {
  const std::string_view first = take_token(line);
  return first.empty() || first.front() == '#';
}

/// Returns the text of the last index of a line, or a null view.
inline std::string_view last_libsvm_index(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::size_t begin = colon;
  while (begin > 0 && !is_libsvm_space(line[begin - 1])) --begin;
  return line.substr(begin, colon - begin);
}

}  // namespace mlp::datasets::detail
