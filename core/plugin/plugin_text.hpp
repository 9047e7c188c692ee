// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "../utf8.hpp"

/// Texts that a plugin gives to the program that loads it.
namespace mlp {

/// The memory for a text of a plugin, which is cut to the capacity and ends with a
/// zero.
struct PluginText {
  char* text;
  std::size_t capacity;
};

/// Writes a text for the other side. A text that is too long is cut between two
/// characters of UTF-8.
inline void write_text(PluginText to, const std::string& text) {
  if (to.capacity == 0) return;
  std::size_t size = std::min(text.size(), to.capacity - 1);
  while (size > 0 && size < text.size() && is_utf8_continuation(text[size])) {
    --size;
  }
  std::copy_n(text.data(), size, to.text);
  to.text[size] = '\0';
}

}  // namespace mlp
