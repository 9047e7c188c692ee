// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mlp {

/// Finds the first line in which two texts differ.
///
/// \return the differing line of each text, empty if a text has ended; nothing
///         if the texts are equal
[[nodiscard]] inline std::optional<std::pair<std::string, std::string>>
first_difference(std::string_view one, std::string_view other) {
  const auto next = [](std::string_view& lines) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    return line;
  };
  while (!one.empty() || !other.empty()) {
    const std::string_view a = next(one);
    const std::string_view b = next(other);
    if (a != b) return std::pair(std::string(a), std::string(b));
  }
  return std::nullopt;
}

/// Returns the name of a fact if its value says nothing to a reader: a digest, or a
/// list that is longer than a line. Returns an empty text for other facts.
///
/// \param line  "name value"
[[nodiscard]] inline std::string unreadable_fact(std::string_view line) {
  constexpr std::string_view kDigest = "digest of the ";
  constexpr std::size_t kLongest = 60;
  if (line.starts_with(kDigest)) {
    line.remove_prefix(kDigest.size());
    return std::string(line.substr(0, line.rfind(' ')));
  }
  const std::size_t blank = line.find(' ');
  if (blank == line.npos || line.size() - blank <= kLongest) return "";
  const std::string_view value = line.substr(blank + 1);
  const bool is_list = value.front() == '[';
  const bool is_digest =
      value.find_first_not_of("0123456789abcdef") == value.npos;
  return is_list || is_digest ? std::string(line.substr(0, blank)) : "";
}

}  // namespace mlp
