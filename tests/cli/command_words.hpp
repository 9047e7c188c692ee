// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mlp::test {

/// The words of a command.
using Words = std::vector<std::string>;

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Splits a command line at spaces.
inline Words split_words(const std::string& line) {
  Words words(1);
  for (const char letter : line) {
    if (letter == ' ') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

}  // namespace mlp::test
