// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "../../core/types.hpp"

/// The names of several files that are read as one, and their first lines.
namespace mlp::datasets {

/// One of several files that were read as one. Their lines are counted as if each
/// file continued the one before it.
struct SourceFile {
  std::string name;

  /// The number of lines of all files before it.
  Index lines_before = 0;
};

/// Returns the index of the file that has a line; 0 without files.
///
/// \param files  in the order in which they were read
/// \param line   1-based, counted over all files
[[nodiscard]] inline std::size_t find_file(std::span<const SourceFile> files,
                                           Index line) {
  const auto next = std::partition_point(
      files.begin(), files.end(),
      [&](const SourceFile& file) { return file.lines_before < line; });
  return next == files.begin()
             ? 0
             : static_cast<std::size_t>(next - files.begin()) - 1;
}

}  // namespace mlp::datasets
