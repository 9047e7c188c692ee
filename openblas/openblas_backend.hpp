// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>

#include "../core/types.hpp"
#include "../mlp/backend/backend.hpp"

/// Matrix products with OpenBLAS, which is loaded at run time.
namespace mlp::openblas {

/// The file name of the OpenBLAS library with 32-bit integers.
inline constexpr const char* kLibraryName = "libopenblas.so.0";

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

/// A contiguous factor of a product, optionally transposed.
template <typename Real>
struct Factor {
  const Real* numbers;
  bool is_transposed = false;
};

/// The sizes of a product [rows x inner] [inner x columns].
struct ProductShape {
  Index rows;
  Index columns;
  Index inner;
};

/// The OpenBLAS library, loaded at run time.
///
/// OpenBLAS selects its kernels while it is loaded and reads the environment
/// variable OPENBLAS_CORETYPE. To select the kernels, set the variable to
/// choose_core_type() before the library is loaded.
///
/// Thread safety: several threads may call multiply() at the same time. Each
/// call runs on its own thread only.
class Library {
 public:
  /// Loads a file and sets OpenBLAS to one thread. The file is never unloaded.
  ///
  /// \throws ResourceError if it cannot be loaded, is not OpenBLAS or uses
  ///         64-bit integers
  explicit Library(const std::string& name = kLibraryName);

  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Computes c = beta c + a b.
  ///
  /// \param         a  [rows x inner]; if transposed, stored as [inner x rows]
  /// \param         b  [inner x columns]; if transposed, stored as
  ///                   [columns x inner]
  /// \param[in,out] c  [rows x columns]; not read if beta is 0
  /// \pre    every size is at least 1 and below 2^31
  /// \cost   2 rows columns inner flops
  template <typename Real>
  void multiply(const ProductShape& shape, Factor<Real> a, Factor<Real> b,
                Real beta, Real* c) const {
    constexpr int kColumnMajor = 102;  // CblasColMajor in cblas.h
    const auto transpose = [](bool is_transposed) {
      return is_transposed ? 112 : 111;
    };
    const auto m = static_cast<int>(shape.rows);
    const auto n = static_cast<int>(shape.columns);
    const auto k = static_cast<int>(shape.inner);
    std::get<Gemm<Real>>(gemm_)(kColumnMajor, transpose(a.is_transposed),
                                transpose(b.is_transposed), m, n, k, Real{1},
                                a.numbers, a.is_transposed ? k : m, b.numbers,
                                b.is_transposed ? n : k, beta, c, m);
  }

  /// Returns the name of the kernels in use, as in OPENBLAS_CORETYPE.
  [[nodiscard]] std::string core_name() const { return get_core_name_(); }

  /// Returns the version and the build options as reported by OpenBLAS.
  [[nodiscard]] std::string config() const { return get_config_(); }

 private:
  template <typename Real>
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m,
                        int n, int k, Real alpha, const Real* a, int lda,
                        const Real* b, int ldb, Real beta, Real* c, int ldc);

  std::tuple<Gemm<double>, Gemm<float>> gemm_;
  const char* (*get_core_name_)() = nullptr;
  const char* (*get_config_)() = nullptr;
};

/// Returns the installed OpenBLAS. The first call loads it.
///
/// \throws ResourceError like the constructor; the next call tries again
[[nodiscard]] const Library& library();

/// Returns the backend that computes matrix products with OpenBLAS.
///
/// It makes one OpenBLAS call for each product, layer and tile of instances.
/// Everything else is computed as in the reference backend. name() is
/// "OpenBLAS".
///
/// In float32, compute_gradient() sums the gradient of one call in float32 and adds
/// the result in double precision. Losses are in double precision.
///
/// \throws ResourceError if library() cannot load OpenBLAS; ParamError from
///         make_gradient_evaluator() for a network that Spark does not have
[[nodiscard]] const Backend& backend();

}  // namespace mlp::openblas
