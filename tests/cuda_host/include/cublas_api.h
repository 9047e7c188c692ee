// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The part of cuBLAS that mlp calls, on the emulated device. The toolkit, whose
/// header this replaces, is not needed for the tests.

#include <cstddef>

#include "../cuda_runtime.hpp"

// NOLINTBEGIN: cuBLAS chose these names.
using cublasHandle_t = struct cublasContext*;

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS,
  CUBLAS_STATUS_NOT_INITIALIZED,
  CUBLAS_STATUS_ALLOC_FAILED,
  CUBLAS_STATUS_INVALID_VALUE,
  CUBLAS_STATUS_NOT_SUPPORTED
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_32F,
  CUBLAS_COMPUTE_64F,
  CUBLAS_COMPUTE_32F_FAST_TF32
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT };
enum cudaDataType { CUDA_R_32F, CUDA_R_64F, CUDA_R_16BF };

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace,
                                     std::size_t bytes);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasGemmEx(cublasHandle_t handle,
                            cublasOperation_t transpose_a,
                            cublasOperation_t transpose_b, int m, int n, int k,
                            const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta,
                            void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
// NOLINTEND
