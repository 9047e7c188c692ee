// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Choice of the OpenBLAS kernels that suit a processor.
namespace mlp::openblas {

/// The properties of a processor that decide which OpenBLAS kernels suit it.
struct ProcessorTraits {
  bool has_avx512 = false;  ///< F, BW, CD, DQ and VL
  bool has_avx2 = false;    ///< with FMA
  bool is_amd = false;
};

/// Detects the properties of this processor. Instructions that the operating
/// system does not enable count as missing.
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

/// Returns the name of the kernels that suit a processor, or null.
///
/// The name is a value of the variable OPENBLAS_CORETYPE; null leaves the
/// choice to OpenBLAS. OpenBLAS chooses by a list of processor models. It
/// treats a processor newer than the list as a model of 2004, whose kernels
/// have a quarter of the speed. A choice by instructions also works for new
/// processors.
[[nodiscard]] constexpr const char* choose_core_type(
    const ProcessorTraits& traits) {
  if (traits.has_avx512) return "SkylakeX";
  if (traits.has_avx2) return traits.is_amd ? "Zen" : "Haswell";
  return nullptr;
}

}  // namespace mlp::openblas
