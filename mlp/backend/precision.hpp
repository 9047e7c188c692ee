// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../../core/names.hpp"

namespace mlp {

/// The precision in which a network is evaluated.
///
/// It applies to features, weights, outputs and deltas. The objective, the sums
/// over leaves and the optimiser always use double precision, as Spark does.
/// NVIDIA devices alone have the last two: their products take inputs of 10 or 7
/// bits after the point, and add in float32.
enum class Precision { kFloat64, kFloat32, kTensorFloat32, kBfloat16 };

inline constexpr auto kPrecisionNames = std::to_array<Named<Precision>>({
    {Precision::kFloat64, "float64"},
    {Precision::kFloat32, "float32"},
    {Precision::kTensorFloat32, "tf32"},
    {Precision::kBfloat16, "bf16"},
});

/// Returns the name used by the command line and the documentation.
[[nodiscard]] constexpr const char* precision_name(Precision precision) {
  return name_in(kPrecisionNames, precision).data();
}

}  // namespace mlp
