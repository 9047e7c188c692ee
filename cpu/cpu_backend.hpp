// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../mlp/backend/backend.hpp"

namespace mlp::cpu {

/// The tuned backend: the same formulas as the reference, in kernels written
/// once and compiled for each instruction set. The best set that this processor
/// has is chosen at run time, by instruction_set.hpp; its name() is
/// "AVX-512", "AVX2", "SSE4" or "baseline".
///
/// Every element of an output or a gradient is one chain of multiply-adds in
/// index order. With fused multiply-add (AVX2, AVX-512) the bits therefore depend
/// neither on the instruction set nor on how the instances are tiled.
[[nodiscard]] const Backend& backend();

/// Lists the backend of every instruction set that this processor has, the best
/// first: what tests compare and benchmarks time.
[[nodiscard]] const std::vector<const Backend*>& usable_backends();

}  // namespace mlp::cpu
