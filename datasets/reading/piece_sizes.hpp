// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mlp::datasets::detail {

/// The sizes of the pieces in which threads read a file. They never change the
/// result; tests use small ones, so that small files have many pieces.
struct PieceSizes {
  /// The size of a file in bytes for which one more thread saves time.
  std::size_t thread_bytes = std::size_t{1} << 20;

  /// The minimum size of a chunk of text in bytes, except for the last one. It
  /// fits in a cache and is large enough to outweigh the cost of starting a task.
  std::size_t chunk_bytes = std::size_t{256} << 10;

  /// The number of values of a binary file that one task decodes.
  std::size_t task_values = std::size_t{1} << 16;
};

}  // namespace mlp::datasets::detail
