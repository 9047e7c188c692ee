// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
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

/// Returns true if data of at most some bytes are read into memory.
[[nodiscard]] inline bool may_fit(const StoreRule& rule, double most_bytes) {
  const bool is_small =
      rule.memory_bytes == 0.0 && most_bytes < kLeastCheckedBytes;
  return is_small || most_bytes <= allowed_memory(rule);
}

/// How the features of a sparse file or matrix are kept.
enum class SparsePlace {
  kWithZeros,     ///< in memory, as other features
  kWithoutZeros,  ///< in memory; some rows at a time get their zeros
  kFile           ///< with their zeros in a file
};

/// The memory that such features take, in bytes.
struct SparseBytes {
  double features = 0.0;  ///< with their zeros
  double source = 0.0;    ///< in memory while the features get their zeros
  double without_zeros = 0.0;

  /// Returns what the features need until a training begins.
  [[nodiscard]] double to_read() const { return features + source; }

  /// Returns what they need with a copy, which a training may make in the order of its
  /// arithmetic when the source is gone.
  [[nodiscard]] double to_train() const {
    return features + std::max(features, source);
  }
};

/// Returns the memory of features without their zeros.
///
/// \param num_values  that are not zero
[[nodiscard]] inline double bytes_without_zeros(double num_instances,
                                                double num_values) {
  constexpr double kBytesPerValue = sizeof(std::int32_t) + sizeof(double);
  return kBytesPerValue * num_values + sizeof(std::int64_t) * num_instances;
}

/// Decides how sparse features are kept. They keep their zeros if these features and a copy
/// fit into memory, or if they take no less memory without zeros.
[[nodiscard]] inline SparsePlace choose_sparse_place(const SparseBytes& bytes,
                                                     const StoreRule& rule) {
  if (may_fit(rule, bytes.to_train())) return SparsePlace::kWithZeros;
  const bool is_sparse = bytes.without_zeros < bytes.features;
  if (is_sparse && bytes.without_zeros <= allowed_memory(rule)) {
    return SparsePlace::kWithoutZeros;
  }
  return may_fit(rule, bytes.to_read()) ? SparsePlace::kWithZeros
                                        : SparsePlace::kFile;
}

}  // namespace mlp::datasets
