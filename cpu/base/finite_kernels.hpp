// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Looks for NaN and infinity, in the kernels of each instruction set.

#include <vector>

#include "../../core/types.hpp"

namespace mlp::cpu {

/// The search compiled for one instruction set.
struct FiniteKernels {
  const char* name;  ///< as Backend::name()

  /// Returns true if all numbers are finite.
  bool (*of_doubles)(const double* numbers, Index size);
  bool (*of_floats)(const float* numbers, Index size);
};

/// Lists the kernels of every instruction set of this processor, best first.
[[nodiscard]] const std::vector<FiniteKernels>& usable_finite_kernels();

/// Returns true if all numbers are finite, with the best kernels.
[[nodiscard]] inline bool are_all_finite(const double* numbers, Index size) {
  return usable_finite_kernels().front().of_doubles(numbers, size);
}
[[nodiscard]] inline bool are_all_finite(const float* numbers, Index size) {
  return usable_finite_kernels().front().of_floats(numbers, size);
}

}  // namespace mlp::cpu
