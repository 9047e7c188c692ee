// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../core/memory/available_memory.hpp"

/// When features are kept in a file, or without their zeros.
namespace mlp::datasets {

/// What a reader does with features that do not fit into memory.
struct StoreRule {
  /// A folder on a disk. If empty, features are always in memory.
  std::string folder;

  /// Memory for the data, in bytes; 0 for most of what is left.
  double memory_bytes = 0.0;
};

/// Why the features of a dataset are in a file, or without their zeros.
struct StoreNote {
  double needed_bytes = 0.0;   ///< to read them into memory
  double allowed_bytes = 0.0;  ///< of memory
  std::string folder;

  /// The memory that they take without their zeros; 0 for a file.
  double sparse_bytes = 0.0;
};

/// Returns about how much memory instances take whose features are in a file: labels,
/// weights, places and buffers.
[[nodiscard]] inline double memory_beside_file(double num_instances) {
  constexpr double kBytesPerInstance = 40.0;
  constexpr double kBuffers = 64e6;
  return kBytesPerInstance * num_instances + kBuffers;
}

/// Returns the memory that data may take of what is left. The rest is for labels, the
/// network and other processes.
[[nodiscard]] inline double memory_for_data(double bytes_left) {
  constexpr double kShare = 0.6;
  return kShare * bytes_left;
}

/// Returns the memory that data may take.
[[nodiscard]] inline double allowed_memory(const StoreRule& rule) {
  return rule.memory_bytes > 0.0 ? rule.memory_bytes
                                 : memory_for_data(available_memory().bytes);
}

}  // namespace mlp::datasets
