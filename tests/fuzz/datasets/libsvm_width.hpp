// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The number of features with which an input is read as LIBSVM.

#include <cstddef>
#include <functional>
#include <string_view>

#include "../../../core/types.hpp"

namespace mlp::fuzz {

/// Returns 0, which means the largest index of the file, except for most inputs
/// with an index of four digits or more: their matrices may have 64 MiB, which
/// would take most of the time.
inline Index libsvm_width(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  constexpr Index kWidth = 999;
  std::size_t digits = 0;
  for (const char letter : text) {
    if (letter == ':' && digits > kMostDigits) {
      return std::hash<std::string_view>()(text) % 64 == 0 ? 0 : kWidth;
    }
    digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
  }
  return 0;
}

}  // namespace mlp::fuzz
