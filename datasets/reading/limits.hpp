// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../../core/error.hpp"

namespace mlp::datasets {

// What a data file may ask for. Every reader tests these before it allocates.

/// Features of an instance: the width limit of a layer.
inline constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 20;

/// Bytes of a feature matrix.
inline constexpr std::uint64_t kMaxMatrixBytes = std::uint64_t{1} << 40;

/// Bytes of a line of text, without its end.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// Multiplies sizes; nullopt where 64 bits do not hold the product.
[[nodiscard]] inline std::optional<std::uint64_t> checked_product(
    std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) return std::nullopt;
  return a * b;
}

/// Refuses a feature matrix that no data file may ask for.
///
/// \throws DataError naming the limit and the size that was asked for
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

}  // namespace mlp::datasets
