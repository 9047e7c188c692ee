// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::cpu {

/// What the kernels are compiled for, the best first. Those between bring
/// nothing for double precision.
enum class InstructionSet { Avx512, Avx2, Sse4, Baseline };

/// Returns the name as users read it: "AVX-512", "AVX2", "SSE4" or "baseline".
[[nodiscard]] const char* name(InstructionSet set);

/// Asks the processor whether it has all that the kernels of a set use. No other
/// kernel asks.
[[nodiscard]] bool is_usable(InstructionSet set);

}  // namespace mlp::cpu
