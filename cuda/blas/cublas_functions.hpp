// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_api.h>

#include "../runtime/shared_library.hpp"

namespace mlp::cuda {

/// cublasGemmEx, which cublas_api.h overloads for a deprecated type of compute.
using CublasGemmEx =
    cublasStatus_t (*)(cublasHandle_t handle, cublasOperation_t transpose_a,
                       cublasOperation_t transpose_b, int m, int n, int k,
                       const void* alpha, const void* a, cudaDataType a_type,
                       int lda, const void* b, cudaDataType b_type, int ldb,
                       const void* beta, void* c, cudaDataType c_type, int ldc,
                       cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

/// The functions of cuBLAS that mlp calls. The program does not link cuBLAS.
struct CublasFunctions {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasGetStatusString) get_status_string = nullptr;
  decltype(static_cast<CublasGemmEx>(&cublasGemmEx)) gemm_ex = nullptr;
};

/// Loads the installed cuBLAS 13 or 12.
///
/// \throws ResourceError naming the library and what to install
[[nodiscard]] SharedLibrary open_cublas();

/// Returns the functions of the installed cuBLAS 13 or 12. The first call loads
/// it.
///
/// \throws DeviceError naming the library and what to install; the next call tries
///         again
[[nodiscard]] const CublasFunctions& cublas_functions();

}  // namespace mlp::cuda
