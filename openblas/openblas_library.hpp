// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../core/types.hpp"

/// Matrix products with OpenBLAS, which is loaded at run time.
namespace mlp::openblas {

/// The file name of the OpenBLAS library with 32-bit integers.
inline constexpr const char* kLibraryName = "libopenblas.so.0";

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
  void multiply(const ProductShape& shape, Factor<double> a, Factor<double> b,
                double beta, double* c) const {
    call(dgemm_, shape, a, b, beta, c);
  }

  /// Computes the same in single precision.
  void multiply(const ProductShape& shape, Factor<float> a, Factor<float> b,
                float beta, float* c) const {
    call(sgemm_, shape, a, b, beta, c);
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

  template <typename Real>
  static void call(Gemm<Real> gemm, const ProductShape& shape, Factor<Real> a,
                   Factor<Real> b, Real beta, Real* c) {
    constexpr int kColumnMajor = 102;  // CblasColMajor in cblas.h
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

/// Returns the installed OpenBLAS. The first call loads it.
///
/// \throws ResourceError like the constructor; the next call tries again
[[nodiscard]] const Library& library();

}  // namespace mlp::openblas
