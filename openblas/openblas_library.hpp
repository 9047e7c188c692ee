// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../core/types.hpp"

namespace mlp::openblas {

/// The file that library() opens: OpenBLAS with 32-bit integers.
inline constexpr const char* kLibraryName = "libopenblas.so.0";

/// A contiguous factor of a product, transposed or as it lies in memory.
template <typename Real>
struct Factor {
  const Real* numbers;
  bool is_transposed = false;
};

/// Sizes of a product [rows x inner] [inner x columns].
struct ProductShape {
  Index rows;
  Index columns;
  Index inner;
};

/// OpenBLAS, loaded while the program runs.
///
/// Which kernels it uses is decided while it is loaded, from the environment: a
/// program that knows better sets OPENBLAS_CORETYPE to choose_core_type() first.
///
/// Thread safety: multiply() may run on many threads at once, each of which
/// computes alone.
class Library {
 public:
  /// Loads a file and turns its own threads off. It stays loaded.
  ///
  /// \throws ResourceError where it cannot be loaded, is no OpenBLAS, or counts
  ///         in integers of 64 bits
  explicit Library(const std::string& name = kLibraryName);

  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Computes c = beta c + a b.
  ///
  /// \param         a  [rows x inner]; transposed: stored as [inner x rows]
  /// \param         b  [inner x columns]; transposed: stored as [columns x inner]
  /// \param[in,out] c  [rows x columns]; not read where beta is 0
  /// \pre    every size is at least 1 and below 2^31
  /// \cost   2 rows columns inner flops
  void multiply(const ProductShape& shape, Factor<double> a, Factor<double> b,
                double beta, double* c) const {
    call(dgemm_, shape, a, b, beta, c);
  }

  /// As above, in single precision.
  void multiply(const ProductShape& shape, Factor<float> a, Factor<float> b,
                float beta, float* c) const {
    call(sgemm_, shape, a, b, beta, c);
  }

  /// Returns the kernels in use, as OPENBLAS_CORETYPE spells them.
  [[nodiscard]] std::string core_name() const { return get_core_name_(); }

  /// Returns the version and how it was built, as OpenBLAS words it.
  [[nodiscard]] std::string config() const { return get_config_(); }

 private:
  template <typename Real>
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m,
                        int n, int k, Real alpha, const Real* a, int lda,
                        const Real* b, int ldb, Real beta, Real* c, int ldc);

  template <typename Real>
  static void call(Gemm<Real> gemm, const ProductShape& shape, Factor<Real> a,
                   Factor<Real> b, Real beta, Real* c) {
    constexpr int kColumnMajor = 102;  // of cblas.h
    const auto transpose = [](bool is_transposed) {
      return is_transposed ? 112 : 111;
    };
    const auto m = static_cast<int>(shape.rows);
    const auto n = static_cast<int>(shape.columns);
    const auto k = static_cast<int>(shape.inner);
    gemm(kColumnMajor, transpose(a.is_transposed), transpose(b.is_transposed),
         m, n, k, Real{1}, a.numbers, a.is_transposed ? k : m, b.numbers,
         b.is_transposed ? n : k, beta, c, m);
  }

  Gemm<double> dgemm_ = nullptr;
  Gemm<float> sgemm_ = nullptr;
  const char* (*get_core_name_)() = nullptr;
  const char* (*get_config_)() = nullptr;
};

/// Returns the installed OpenBLAS, loaded by the first call.
///
/// \throws ResourceError as the constructor; the next call tries again
[[nodiscard]] const Library& library();

}  // namespace mlp::openblas
