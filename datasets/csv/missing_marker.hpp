// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "csv_header.hpp"

namespace mlp::datasets::detail {

/// Texts that stand for a missing value, in any case, beside the empty text.
inline constexpr std::array<std::string_view, 5> kMissingMarkers = {
    "?", "NA", "N/A", "NULL", "NaN"};

/// Returns true if a field says that its value is missing.
inline bool is_missing_marker(std::string_view text) {
  constexpr std::size_t kMaxBytes = 4;
  if (text.size() > kMaxBytes) return false;
  return text.empty() ||
         std::any_of(kMissingMarkers.begin(), kMissingMarkers.end(),
                     [&](std::string_view marker) {
                       return equals_ignoring_case(text, marker);
                     });
}

}  // namespace mlp::datasets::detail
