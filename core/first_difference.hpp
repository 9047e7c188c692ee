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

}  // namespace mlp
