// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The functions of cuBLAS that mlp calls, as a table. NVIDIA's headers are not
/// needed; cublas_functions_check.cu compares both.

#include <cuda_runtime.h>

#include <cstddef>

namespace mlp::cuda {

/// cublasHandle_t.
using CublasHandle = struct CublasContext*;

/// cublasStatus_t.
enum class CublasStatus : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kExecutionFailed = 13,
  kNotSupported = 15
};

/// cublasOperation_t.
enum class CublasOperation : int { kNone = 0, kTranspose = 1 };

/// cublasMath_t.
enum class CublasMath : int {
  kDefault = 0,

  /// Partial sums of a product stay in the type in which it is computed.
  kDisallowReducedPrecisionReduction = 16
};

/// cublasComputeType_t.
enum class CublasCompute : int {
  kFloat32 = 68,
  kFloat64 = 70,
  kTensorFloat32 = 77
};

/// cublasGemmAlgo_t.
enum class CublasAlgorithm : int { kDefault = -1 };

/// cudaDataType_t.
enum class CublasType : int { kFloat32 = 0, kFloat64 = 1, kBfloat16 = 14 };

/// The functions by their names without "cublas" and "_v2".
struct CublasFunctions {
  CublasStatus (*create)(CublasHandle* handle) = nullptr;
  CublasStatus (*destroy)(CublasHandle handle) = nullptr;
  CublasStatus (*set_stream)(CublasHandle handle,
                             cudaStream_t stream) = nullptr;
  CublasStatus (*set_workspace)(CublasHandle handle, void* workspace,
                                std::size_t bytes) = nullptr;
  CublasStatus (*set_math_mode)(CublasHandle handle, CublasMath mode) = nullptr;
  const char* (*get_status_string)(CublasStatus status) = nullptr;

  /// c = alpha op(a) op(b) + beta c; op(a) [m x k], op(b) [k x n], c [m x n], all
  /// column-major. alpha and beta are on the host, in the type of compute.
  CublasStatus (*gemm_ex)(CublasHandle handle, CublasOperation transpose_a,
                          CublasOperation transpose_b, int m, int n, int k,
                          const void* alpha, const void* a, CublasType a_type,
                          int lda, const void* b, CublasType b_type, int ldb,
                          const void* beta, void* c, CublasType c_type, int ldc,
                          CublasCompute compute,
                          CublasAlgorithm algorithm) = nullptr;
};

/// Returns the functions of the installed cuBLAS 13 or 12. The first call loads
/// it.
///
/// \throws DeviceError naming the library and what to install; the next call tries
///         again
[[nodiscard]] const CublasFunctions& cublas_functions();

}  // namespace mlp::cuda
