// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../../core/names.hpp"

namespace mlp {

/// The precision in which a network is evaluated.
///
/// It applies to features, weights, outputs and deltas. The objective, the sums
/// over slices and the optimiser always use double precision, as Spark does.
enum class Precision {
  kFloat64,
  kFloat32,

  /// float32, but matrix products round their factors to 11 significant bits.
  /// Devices only.
  kTensorFloat32,

  /// float32, but matrix products round their factors to bfloat16, of 8
  /// significant bits. Devices only.
  kBfloat16,
};

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

/// Returns true if backends of the processor compute in this precision.
[[nodiscard]] constexpr bool is_processor_precision(Precision precision) {
  return precision == Precision::kFloat64 || precision == Precision::kFloat32;
}

}  // namespace mlp
