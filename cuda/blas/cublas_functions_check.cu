// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares cublas_functions.hpp with NVIDIA's headers. It has no code.
#include "cublas_functions.hpp"

#ifdef __CUDACC__

#include <cublas_v2.h>

#include <type_traits>

namespace mlp::cuda {

namespace {

/// The type of NVIDIA for one of ours.
template <typename T>
struct Theirs {
  using Type = T;
};
template <>
struct Theirs<CublasHandle> {
  using Type = cublasHandle_t;
};
template <>
struct Theirs<CublasHandle*> {
  using Type = cublasHandle_t*;
};
template <>
struct Theirs<CublasStatus> {
  using Type = cublasStatus_t;
};
template <>
struct Theirs<CublasOperation> {
  using Type = cublasOperation_t;
};
template <>
struct Theirs<CublasMath> {
  using Type = cublasMath_t;
};
template <>
struct Theirs<CublasCompute> {
  using Type = cublasComputeType_t;
};
template <>
struct Theirs<CublasAlgorithm> {
  using Type = cublasGemmAlgo_t;
};
template <>
struct Theirs<CublasType> {
  using Type = cudaDataType;
};
template <typename Result, typename... Arguments>
struct Theirs<Result (*)(Arguments...)> {
  using Type =
      typename Theirs<Result>::Type (*)(typename Theirs<Arguments>::Type...);
};

template <typename Ours, typename Function>
constexpr bool kFits = std::is_same_v<typename Theirs<Ours>::Type, Function*>;

using Functions = CublasFunctions;
static_assert(kFits<decltype(Functions::create), decltype(cublasCreate)>);
static_assert(kFits<decltype(Functions::destroy), decltype(cublasDestroy)>);
static_assert(
    kFits<decltype(Functions::set_stream), decltype(cublasSetStream)>);
static_assert(
    kFits<decltype(Functions::set_workspace), decltype(cublasSetWorkspace)>);
static_assert(
    kFits<decltype(Functions::set_math_mode), decltype(cublasSetMathMode)>);
static_assert(kFits<decltype(Functions::get_status_string),
                    decltype(cublasGetStatusString)>);

template <typename Ours, typename Number>
constexpr bool equals(Ours ours, Number theirs) {
  return sizeof(Ours) == sizeof(Number) &&
         static_cast<int>(ours) == static_cast<int>(theirs);
}

static_assert(equals(CublasStatus::kSuccess, CUBLAS_STATUS_SUCCESS));
static_assert(equals(CublasStatus::kNotInitialized,
                     CUBLAS_STATUS_NOT_INITIALIZED));
static_assert(equals(CublasStatus::kAllocFailed, CUBLAS_STATUS_ALLOC_FAILED));
static_assert(equals(CublasStatus::kInvalidValue, CUBLAS_STATUS_INVALID_VALUE));
static_assert(equals(CublasStatus::kExecutionFailed,
                     CUBLAS_STATUS_EXECUTION_FAILED));
static_assert(equals(CublasStatus::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED));
static_assert(equals(CublasOperation::kNone, CUBLAS_OP_N));
static_assert(equals(CublasOperation::kTranspose, CUBLAS_OP_T));
static_assert(equals(CublasMath::kDefault, CUBLAS_DEFAULT_MATH));
static_assert(equals(CublasMath::kDisallowReducedPrecisionReduction,
                     CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
static_assert(equals(CublasCompute::kFloat32, CUBLAS_COMPUTE_32F));
static_assert(equals(CublasCompute::kFloat64, CUBLAS_COMPUTE_64F));
static_assert(equals(CublasCompute::kTensorFloat32,
                     CUBLAS_COMPUTE_32F_FAST_TF32));
static_assert(equals(CublasAlgorithm::kDefault, CUBLAS_GEMM_DEFAULT));
static_assert(equals(CublasType::kFloat32, CUDA_R_32F));
static_assert(equals(CublasType::kFloat64, CUDA_R_64F));
static_assert(equals(CublasType::kBfloat16, CUDA_R_16BF));

// cublas_v2.h overloads cublasGemmEx in C++ for a deprecated type of compute.
using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t,
                              cublasOperation_t, int, int, int, const void*,
                              const void*, cudaDataType, int, const void*,
                              cudaDataType, int, const void*, void*,
                              cudaDataType, int, cublasComputeType_t,
                              cublasGemmAlgo_t);
static_assert(kFits<decltype(Functions::gemm_ex), GemmEx>);
static_assert(static_cast<GemmEx*>(cublasGemmEx) != nullptr);

}  // namespace

}  // namespace mlp::cuda

#endif
