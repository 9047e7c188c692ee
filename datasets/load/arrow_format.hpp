// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The formats of tables that a plugin reads.
namespace mlp::datasets::detail {

/// The name of a format with its article, and how its files begin.
struct ArrowFormatName {
  std::string_view start;
  std::string_view name;
};

inline constexpr ArrowFormatName kParquet{"PAR1", "a Parquet file"};
inline constexpr ArrowFormatName kArrow{"ARROW1", "an Arrow or Feather file"};

/// Returns the format of a file that the plugin reads; null for others.
///
/// \param bytes  the start of the file
inline const ArrowFormatName* find_arrow_format(std::string_view bytes) {
  for (const ArrowFormatName* const format : {&kParquet, &kArrow}) {
    if (bytes.substr(0, format->start.size()) == format->start) return format;
  }
  return nullptr;
}

}  // namespace mlp::datasets::detail
