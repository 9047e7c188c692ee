// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp {

/// The precision in which a network is evaluated.
///
/// It applies to features, weights, outputs and deltas. The objective, the sums
/// over leaves and the optimiser always use double precision, as Spark does.
enum class Precision { kFloat64, kFloat32 };

/// Returns the name used by the command line and the documentation.
[[nodiscard]] constexpr const char* precision_name(Precision precision) {
  return precision == Precision::kFloat32 ? "float32" : "float64";
}

}  // namespace mlp
