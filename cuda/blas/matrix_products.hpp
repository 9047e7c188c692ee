// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>

#include "../../core/index.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "cublas_functions.hpp"

namespace mlp::cuda {

/// A contiguous factor of a product on the device, optionally transposed.
template <typename Input>
struct Factor {
  const Input* numbers;
  bool is_transposed = false;
};

/// The sizes of a product [rows x inner] [inner x columns].
struct ProductShape {
  Index rows;
  Index columns;
  Index inner;
};

/// The types of the numbers of a product, and in which it is computed.
struct ProductTypes {
  cudaDataType input;
  cudaDataType result;
  cublasComputeType_t compute;
};

/// Products of matrices by cuBLAS on one stream. The same product has the same
/// bits each time.
///
/// Thread safety: one call at a time.
class MatrixProducts {
 public:
  /// \param functions  must outlive this object, as the stream must
  /// \throws DeviceError if cuBLAS cannot start; ResourceError if the device has
  ///         too little memory
  explicit MatrixProducts(const Stream& stream,
                          const CublasFunctions& functions);
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  [[nodiscard]] const Stream& stream() const { return stream_; }

  /// Adds c = beta c + a b to the stream.
  ///
  /// \param         a  [rows x inner]; if transposed, stored as [inner x rows]
  /// \param         b  [inner x columns]; if transposed, stored as
  ///                   [columns x inner]
  /// \param[in,out] c  [rows x columns]; not read if beta is 0
  /// \pre    every size is at least 1 and below 2^31
  /// \cost   2 rows columns inner flops; reads a and b, writes c
  void multiply(const ProductShape& shape, Factor<double> a, Factor<double> b,
                double beta, double* c);

  /// Computes the same in single precision.
  ///
  /// \param precision  kTensorFloat32 rounds the factors to 11 significant bits
  void multiply(const ProductShape& shape, Factor<float> a, Factor<float> b,
                double beta, float* c, Precision precision);

  /// Computes the same of factors with 8 significant bits, in single precision.
  void multiply(const ProductShape& shape, Factor<__nv_bfloat16> a,
                Factor<__nv_bfloat16> b, double beta, float* c);

  /// The bytes of the device that this object allocates.
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

 private:
  void check(cublasStatus_t status, const char* call) const;

  template <typename Input, typename Result>
  void call(const ProductShape& shape, Factor<Input> a, Factor<Input> b,
            Result beta, Result* c, const ProductTypes& types);

  const Stream& stream_;
  const CublasFunctions& functions_;
  DeviceArray<char> workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace mlp::cuda
