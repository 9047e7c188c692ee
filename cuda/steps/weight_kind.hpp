// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mlp::cuda {

/// How training changes a weight.
enum class WeightKind : std::uint8_t {
  kFixed,  ///< does not change: of a frozen layer
  kMoves,  ///< changes
  kDecays  ///< changes, and is penalised
};

}  // namespace mlp::cuda
