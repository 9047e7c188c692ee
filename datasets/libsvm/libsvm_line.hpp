// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mlp::datasets::detail {

/// Spaces, tabs and the CR of a CRLF part the tokens of a LIBSVM line.
inline bool is_libsvm_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/// Takes the next token off a line; empty at the line's end.
inline std::string_view take_token(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_libsvm_space(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_libsvm_space(line[end])) ++end;
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

/// Takes the next line off a text, without its LF.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// True for lines without an instance: empty ones, and comments.
inline bool is_libsvm_comment(std::string_view line) {
  const std::string_view first = take_token(line);
  return first.empty() || first.front() == '#';
}

/// The text of the last index of a line; without data if there is none.
inline std::string_view last_libsvm_index(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::size_t begin = colon;
  while (begin > 0 && !is_libsvm_space(line[begin - 1])) --begin;
  return line.substr(begin, colon - begin);
}

}  // namespace mlp::datasets::detail
