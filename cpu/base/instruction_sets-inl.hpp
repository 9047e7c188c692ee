// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Lists the functions that a source compiles for each instruction set.
// Include this at the end of a source that is compiled once per instruction
// set, after the last of them.
#pragma once

#include <hwy/highway.h>

#include <vector>

#include "instruction_set.hpp"

// MLP_EACH_INSTRUCTION_SET(symbol) lists {set, symbol of that set} for every
// set for which the source was compiled, best first.
#if HWY_TARGETS & HWY_AVX3
#define MLP_OF_AVX512(symbol) {InstructionSet::Avx512, N_AVX3::symbol},
#else
#define MLP_OF_AVX512(symbol)
#endif
#if HWY_TARGETS & HWY_AVX2
#define MLP_OF_AVX2(symbol) {InstructionSet::Avx2, N_AVX2::symbol},
#else
#define MLP_OF_AVX2(symbol)
#endif
#if HWY_TARGETS & HWY_SSE4
#define MLP_OF_SSE4(symbol) {InstructionSet::Sse4, N_SSE4::symbol},
#else
#define MLP_OF_SSE4(symbol)
#endif
#define MLP_EACH_INSTRUCTION_SET(symbol) \
  MLP_OF_AVX512(symbol)                  \
  MLP_OF_AVX2(symbol)                    \
  MLP_OF_SSE4(symbol) { InstructionSet::Baseline, HWY_STATIC_DISPATCH(symbol) }

namespace mlp::cpu {

/// A function compiled for one instruction set.
template <class Function>
struct ForInstructionSet {
  InstructionSet set;
  Function function;
};

/// Returns function(name of the set) for each set that this processor has.
template <class Made>
[[nodiscard]] std::vector<Made> make_for_usable(
    const std::vector<ForInstructionSet<Made (*)(const char*)>>& compiled) {
  std::vector<Made> made;
  for (const auto& [set, make] : compiled) {
    if (is_usable(set)) made.push_back(make(name(set)));
  }
  return made;
}

}  // namespace mlp::cpu
