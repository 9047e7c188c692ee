// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handshake.hpp"

/// The content of the files of a DirectoryRendezvous: ranks write and read it. The
/// functions accept any bytes.
namespace mlp::distributed {

/// Returns 128 random bits as 32 letters: the name of a process, or the word of
/// a group.
[[nodiscard]] inline std::string fresh_name() {
  constexpr std::string_view kLetters = "0123456789abcdef";
  std::string name;
  for (const char byte : random_bytes(16)) {
    const auto bits = static_cast<unsigned char>(byte);
    name += kLetters[bits >> 4];
    name += kLetters[bits & 0xF];
  }
  return name;
}

/// True for a result of fresh_name(). Such a text contains no slash and no dot,
/// so that it can be a part of a file name.
[[nodiscard]] inline bool is_fresh_name(std::string_view text) {
  constexpr std::size_t kNumLetters = 32;
  return text.size() == kNumLetters &&
         std::all_of(text.begin(), text.end(), [](char letter) {
           return (letter >= '0' && letter <= '9') ||
                  (letter >= 'a' && letter <= 'f');
         });
}

/// The group that rank 0 announces.
struct AnnouncedGroup {
  std::string word;                ///< in the names of its files
  std::vector<std::string> names;  ///< of its processes  [world_size]
};

[[nodiscard]] inline std::string format_group(const AnnouncedGroup& group) {
  std::string text = group.word + '\n';
  for (const std::string& name : group.names) text += name + '\n';
  return text;
}

/// Returns nothing if the bytes are not a group of that many ranks.
[[nodiscard]] inline std::optional<AnnouncedGroup> parse_group(
    std::string_view bytes, int world_size) {
  AnnouncedGroup group;
  const auto num_lines = static_cast<std::size_t>(world_size) + 1;
  for (std::size_t i = 0; i < num_lines; ++i) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos || !is_fresh_name(bytes.substr(0, end))) {
      return std::nullopt;
    }
    const std::string line(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    if (i == 0) {
      group.word = line;
    } else {
      group.names.push_back(line);
    }
  }
  if (!bytes.empty()) return std::nullopt;
  return group;
}

}  // namespace mlp::distributed
