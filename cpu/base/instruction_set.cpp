// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "instruction_set.hpp"

namespace mlp::cpu {

const char* name(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx512:
      return "AVX-512";
    case InstructionSet::Avx2:
      return "AVX2";
    case InstructionSet::Sse4:
      return "SSE4";
    case InstructionSet::Baseline:
      break;
  }
  return "baseline";
}

bool is_usable(InstructionSet set) {
#if defined(__x86_64__) || defined(__i386__)
  switch (set) {
    case InstructionSet::Avx512:
      return __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("bmi2");
    case InstructionSet::Avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi2");
    case InstructionSet::Sse4:
      return __builtin_cpu_supports("sse4.2");
    case InstructionSet::Baseline:
      break;
  }
  return true;
#else
  return set == InstructionSet::Baseline;
#endif
}

}  // namespace mlp::cpu
