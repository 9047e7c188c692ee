// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp {

/// The numbers that a network is evaluated in: features, weights, outputs and
/// deltas. The objective, its sums over leaves and the optimiser stay in double
/// precision, which is Spark's, under both.
enum class Precision { kFloat64, kFloat32 };

/// Returns the name that the command line and the documents use.
[[nodiscard]] constexpr const char* precision_name(Precision precision) {
  return precision == Precision::kFloat32 ? "float32" : "float64";
}

}  // namespace mlp
