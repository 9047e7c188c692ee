// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace mlp::datasets::detail {

/// Compares two texts, ignoring the case of the letters A to Z.
inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    return is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace mlp::datasets::detail
