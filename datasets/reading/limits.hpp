// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../../core/error.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../../core/types.hpp"

/// Limits on the size of data files. Readers check them before they allocate.
namespace mlp::datasets {

/// Maximum number of features; the width limit of a layer.
inline constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 20;

/// Maximum size of the feature matrix in bytes.
inline constexpr std::uint64_t kMaxMatrixBytes = std::uint64_t{1} << 40;

/// Maximum length of a line of text in bytes, without its end.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// Returns the maximum size of the contents of a compressed file. The limit is
/// far above the compression of real data and far below a decompression bomb.
[[nodiscard]] constexpr std::size_t max_inflated_bytes(
    std::size_t compressed_bytes) {
  return (std::size_t{64} << 20) + 256 * compressed_bytes;
}

/// Returns the product of two sizes, or nullopt if it exceeds 64 bits.
[[nodiscard]] inline std::optional<std::uint64_t> checked_product(
    std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) return std::nullopt;
  return a * b;
}

/// Checks that a feature matrix does not exceed the limits.
///
/// \throws DataError with the limit and the requested size
inline void check_matrix_size(const std::string& source,
                              std::uint64_t num_features,
                              std::uint64_t num_instances) {
  if (num_features > kMaxFeatures) {
    throw DataError(source, "too many features; expected at most " +
                                std::to_string(kMaxFeatures) + ", got " +
                                std::to_string(num_features));
  }
  const auto elements = checked_product(num_features, num_instances);
  if (!elements || *elements > kMaxMatrixBytes / sizeof(double)) {
    throw DataError(
        source, "too many values; expected at most " +
                    std::to_string(kMaxMatrixBytes) + " bytes of them, got " +
                    std::to_string(num_instances) + " instances of " +
                    std::to_string(num_features) + " features");
  }
}

/// Checks that there is memory for a feature matrix, before it is allocated.
///
/// \throws ResourceError with the size of the matrix and of the memory
inline void check_matrix_memory(const std::string& source, Index num_features,
                                Index num_instances) {
  require_memory_for(source, sizeof(double) *
                                 static_cast<double>(num_features) *
                                 static_cast<double>(num_instances));
}

}  // namespace mlp::datasets
