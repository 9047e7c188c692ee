// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The functions of cuBLAS on the emulated device. Arguments that cuBLAS refuses
// are refused alike; matrices outside of the device's memory throw KernelError.
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../cuda/cublas_of_tests.hpp"
#include "cuda_bf16.hpp"
#include "cuda_runtime.hpp"
#include "kernel_error.hpp"

// cuBLAS declares this type; its content belongs to the library.
struct cublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
};

namespace {

using mlp::cuda_host::KernelError;

/// A matrix of a call, before a transposition.
struct Operand {
  const void* numbers;
  cudaDataType type;
  Eigen::Index rows;
  Eigen::Index columns;
  Eigen::Index stride;  ///< from one column to the next
  bool is_transposed;
};

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return sizeof(double);
    case CUDA_R_32F:
      return sizeof(float);
    case CUDA_R_16BF:
      break;
  }
  return sizeof(__nv_bfloat16);
}

bool has_stride(const Operand& operand) {
  return operand.stride >= std::max<Eigen::Index>(operand.rows, 1);
}

void check_range(const Operand& operand) {
  if (operand.rows == 0 || operand.columns == 0) return;
  const auto size = static_cast<std::size_t>(
      operand.stride * (operand.columns - 1) + operand.rows);
  mlp::cuda_host::check_device_range(operand.numbers,
                                     size * size_of(operand.type));
}

/// Rounds to 10 bits after the point, ties away from zero, as the instruction
/// cvt.rna.tf32.f32 does.
float round_to_tf32(float number) {
  if (!std::isfinite(number)) return number;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::bit_cast<float>((bits + 0x1000U) & ~0x1fffU);
}

template <typename Number>
using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;

/// Reads a matrix as a call computes with it.
template <typename Number>
Numbers<Number> read(const Operand& operand, cublasComputeType_t compute) {
  Numbers<Number> matrix(operand.rows, operand.columns);
  for (Eigen::Index j = 0; j < operand.columns; ++j) {
    for (Eigen::Index i = 0; i < operand.rows; ++i) {
      const Eigen::Index at = i + j * operand.stride;
      if (operand.type == CUDA_R_16BF) {
        matrix(i, j) = static_cast<Number>(__bfloat162float(
            static_cast<const __nv_bfloat16*>(operand.numbers)[at]));
      } else {
        matrix(i, j) = static_cast<const Number*>(operand.numbers)[at];
      }
    }
  }
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) {
    matrix = matrix.unaryExpr([](Number number) {
      return static_cast<Number>(round_to_tf32(static_cast<float>(number)));
    });
  }
  if (operand.is_transposed) matrix.transposeInPlace();
  return matrix;
}

template <typename Number>
void multiply(const Operand& a, const Operand& b, const Operand& c,
              Number alpha, Number beta, cublasComputeType_t compute) {
  const mlp::cuda_host::DeviceAccess access;
  const Numbers<Number> product =
      alpha * read<Number>(a, compute) * read<Number>(b, compute);
  auto* const numbers = static_cast<Number*>(const_cast<void*>(c.numbers));
  Eigen::Map<Numbers<Number>, 0, Eigen::OuterStride<>> result(
      numbers, c.rows, c.columns, Eigen::OuterStride<>(c.stride));
  if (beta == Number{0}) {
    result = product;
  } else {
    result = product + beta * result;
  }
}

/// Returns true if cuBLAS computes with these types.
bool is_supported(const Operand& a, const Operand& b, const Operand& c,
                  cublasComputeType_t compute) {
  if (a.type != b.type) return false;
  if (compute == CUBLAS_COMPUTE_64F) {
    return a.type == CUDA_R_64F && c.type == CUDA_R_64F;
  }
  const bool is_plain = a.type == CUDA_R_32F;
  const bool is_rounded =
      a.type == CUDA_R_16BF && compute != CUBLAS_COMPUTE_32F_FAST_TF32;
  return c.type == CUDA_R_32F && (is_plain || is_rounded);
}

}  // namespace

// NOLINTBEGIN: cuBLAS chose these names.
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace,
                                     std::size_t bytes) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  mlp::cuda_host::check_device_range(workspace, bytes);
  handle->workspace = workspace;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the functionality requested is not supported";
  }
  return "unknown status";
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle,
                            cublasOperation_t transpose_a,
                            cublasOperation_t transpose_b, int m, int n, int k,
                            const void* alpha, const void* a_numbers,
                            cudaDataType a_type, int lda, const void* b_numbers,
                            cudaDataType b_type, int ldb, const void* beta,
                            void* c_numbers, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!handle->stream || !handle->workspace) {
    throw KernelError("a product needs a stream and a workspace of its own");
  }
  const bool is_a_transposed = transpose_a == CUBLAS_OP_T;
  const bool is_b_transposed = transpose_b == CUBLAS_OP_T;
  const Operand a{a_numbers,
                  a_type,
                  is_a_transposed ? k : m,
                  is_a_transposed ? m : k,
                  lda,
                  is_a_transposed};
  const Operand b{b_numbers,
                  b_type,
                  is_b_transposed ? n : k,
                  is_b_transposed ? k : n,
                  ldb,
                  is_b_transposed};
  const Operand c{c_numbers, c_type, m, n, ldc, false};
  if (m < 0 || n < 0 || k < 0 || !has_stride(a) || !has_stride(b) ||
      !has_stride(c) || !alpha || !beta) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!is_supported(a, b, c, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  check_range(a);
  check_range(b);
  check_range(c);
  const auto add = [&](auto of) {
    using Number = decltype(of);
    mlp::cuda_host::enqueue(
        handle->stream, [=, alpha_number = *static_cast<const Number*>(alpha),
                         beta_number = *static_cast<const Number*>(beta)] {
          multiply<Number>(a, b, c, alpha_number, beta_number, compute);
        });
  };
  if (compute == CUBLAS_COMPUTE_64F) {
    add(double{});
  } else {
    add(float{});
  }
  return CUBLAS_STATUS_SUCCESS;
}

// NOLINTEND

namespace mlp::cuda {

const CublasFunctions& cublas_of_tests() {
  static constexpr CublasFunctions kFunctions = {
      cublasCreate_v2,       cublasDestroy_v2,  cublasSetStream_v2,
      cublasSetWorkspace_v2, cublasSetMathMode, cublasGetStatusString,
      cublasGemmEx};
  return kFunctions;
}

}  // namespace mlp::cuda
