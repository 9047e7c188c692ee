// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// For sources that are compiled once per instruction set, after all of them.
#pragma once

#include <hwy/highway.h>

#include <vector>

#include "instruction_set.hpp"

// MLP_EACH_INSTRUCTION_SET(symbol) lists {set, symbol of that set} for all that
// the source was compiled for, the best first.
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

/// What a source was compiled to for one instruction set.
template <class Function>
struct ForInstructionSet {
  InstructionSet set;
  Function function;
};

/// Returns function(name of the set) of each set that this processor has.
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
