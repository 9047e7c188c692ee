// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::openblas {

/// What decides which of OpenBLAS's kernels suit a processor.
struct ProcessorTraits {
  bool has_avx512 = false;  ///< F, BW, CD, DQ and VL
  bool has_avx2 = false;    ///< with FMA
  bool is_amd = false;
};

/// Asks this processor. Instructions that the system does not enable count as
/// missing.
[[nodiscard]] inline ProcessorTraits detect_processor() {
  ProcessorTraits traits;
#if defined(__x86_64__)
  traits.has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  traits.has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  traits.is_amd = __builtin_cpu_is("amd");
#endif
  return traits;
}

/// Names the kernels that suit a processor, as the variable OPENBLAS_CORETYPE
/// spells them; null where OpenBLAS should decide.
///
/// OpenBLAS decides by lists of processor models, and takes a processor that is
/// newer than its list for one of 2004, with kernels of a quarter of the speed.
/// Instructions do not age like that.
[[nodiscard]] constexpr const char* choose_core_type(
    const ProcessorTraits& traits) {
  if (traits.has_avx512) return "SkylakeX";
  if (traits.has_avx2) return traits.is_amd ? "Zen" : "Haswell";
  return nullptr;
}

}  // namespace mlp::openblas
