// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The instruction sets of the kernels, and the test if the processor has them.

namespace mlp::cpu {

/// The instruction sets for which the kernels are compiled, best first.
///
/// The sets between them are not faster in double precision.
enum class InstructionSet { Avx512, Avx2, Sse4, Baseline };

/// Returns the name shown to users: "AVX-512", "AVX2", "SSE4" or "baseline".
[[nodiscard]] const char* name(InstructionSet set);

/// Returns true if the processor has every instruction that the kernels of a
/// set use. All choices of kernels depend on this function.
[[nodiscard]] bool is_usable(InstructionSet set);

}  // namespace mlp::cpu
