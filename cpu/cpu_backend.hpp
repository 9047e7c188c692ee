// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../core/types.hpp"
#include "../mlp/backend/backend.hpp"

namespace mlp::cpu {

/// Number of weights from which threads share one gradient, because a gradient for
/// each thread would not stay in the caches.
inline constexpr Index kSharedWeights = Index{1} << 19;

/// Returns the CPU backend with the best instruction set of this processor.
///
/// It computes the formulas of the reference backend, in kernels compiled for
/// each instruction set. instruction_set.hpp chooses the set at run time.
/// name() is "AVX-512", "AVX2", "SSE4" or "baseline".
///
/// Every element of an output or a gradient is summed in a fixed order. With
/// fused multiply-add (AVX2, AVX-512), the bits therefore depend neither on the
/// instruction set nor on the tiles of instances.
[[nodiscard]] const Backend& backend();

/// Lists the backends of all instruction sets of this processor, best first.
///
/// Tests compare them and benchmarks time them.
[[nodiscard]] const std::vector<const Backend*>& usable_backends();

}  // namespace mlp::cpu
