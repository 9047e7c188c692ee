// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The functions of cuBLAS on the imitated device. Arguments that cuBLAS refuses
// are refused alike; matrices outside of the device's memory throw KernelError.
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../cuda/cublas_of_tests.hpp"
#include "cuda_bf16.hpp"
#include "cuda_runtime.hpp"
#include "kernel_error.hpp"

namespace mlp::cuda {

// cuBLAS declares this type; its content belongs to the library.
struct CublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
};

namespace {

using cuda_host::KernelError;

CublasStatus create(CublasHandle* handle) {
  *handle = new CublasContext;
  return CublasStatus::kSuccess;
}

CublasStatus destroy(CublasHandle handle) {
  delete handle;
  return CublasStatus::kSuccess;
}

CublasStatus set_stream(CublasHandle handle, cudaStream_t stream) {
  if (!handle) return CublasStatus::kNotInitialized;
  handle->stream = stream;
  return CublasStatus::kSuccess;
}

CublasStatus set_workspace(CublasHandle handle, void* workspace,
                           std::size_t bytes) {
  if (!handle) return CublasStatus::kNotInitialized;
  cuda_host::check_device_range(workspace, bytes);
  handle->workspace = workspace;
  return CublasStatus::kSuccess;
}

CublasStatus set_math_mode(CublasHandle handle, CublasMath) {
  return handle ? CublasStatus::kSuccess : CublasStatus::kNotInitialized;
}

const char* get_status_string(CublasStatus status) {
  switch (status) {
    case CublasStatus::kSuccess:
      return "success";
    case CublasStatus::kNotInitialized:
      return "the library was not initialized";
    case CublasStatus::kAllocFailed:
      return "the resource allocation failed";
    case CublasStatus::kInvalidValue:
      return "an unsupported value or parameter was passed to the function";
    case CublasStatus::kExecutionFailed:
      return "the function failed to launch on the GPU";
    case CublasStatus::kNotSupported:
      return "the functionality requested is not supported";
  }
  return "unknown status";
}

/// A matrix of a call, before a transposition.
struct Operand {
  const void* numbers;
  CublasType type;
  Eigen::Index rows;
  Eigen::Index columns;
  Eigen::Index stride;  ///< from one column to the next
  bool is_transposed;
};

std::size_t size_of(CublasType type) {
  switch (type) {
    case CublasType::kFloat64:
      return sizeof(double);
    case CublasType::kFloat32:
      return sizeof(float);
    case CublasType::kBfloat16:
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
  cuda_host::check_device_range(operand.numbers, size * size_of(operand.type));
}

/// Rounds to 10 bits after the point, ties to even, as tensor cores read TF32.
float round_to_tf32(float number) {
  if (!std::isfinite(number)) return number;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t odd = bits >> 13 & 1U;
  return std::bit_cast<float>((bits + 0xfffU + odd) & ~0x1fffU);
}

template <typename Number>
using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;

/// Reads a matrix as a call computes with it.
template <typename Number>
Numbers<Number> read(const Operand& operand, CublasCompute compute) {
  Numbers<Number> matrix(operand.rows, operand.columns);
  for (Eigen::Index j = 0; j < operand.columns; ++j) {
    for (Eigen::Index i = 0; i < operand.rows; ++i) {
      const Eigen::Index at = i + j * operand.stride;
      if (operand.type == CublasType::kBfloat16) {
        matrix(i, j) = static_cast<Number>(__bfloat162float(
            static_cast<const __nv_bfloat16*>(operand.numbers)[at]));
      } else {
        matrix(i, j) = static_cast<const Number*>(operand.numbers)[at];
      }
    }
  }
  if (compute == CublasCompute::kTensorFloat32) {
    matrix = matrix.unaryExpr([](Number number) {
      return static_cast<Number>(round_to_tf32(static_cast<float>(number)));
    });
  }
  if (operand.is_transposed) matrix.transposeInPlace();
  return matrix;
}

template <typename Number>
void multiply(const Operand& a, const Operand& b, const Operand& c,
              Number alpha, Number beta, CublasCompute compute) {
  const cuda_host::DeviceAccess access;
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
                  CublasCompute compute) {
  if (a.type != b.type) return false;
  if (compute == CublasCompute::kFloat64) {
    return a.type == CublasType::kFloat64 && c.type == CublasType::kFloat64;
  }
  const bool is_plain = a.type == CublasType::kFloat32;
  const bool is_rounded = a.type == CublasType::kBfloat16 &&
                          compute != CublasCompute::kTensorFloat32;
  return c.type == CublasType::kFloat32 && (is_plain || is_rounded);
}

CublasStatus gemm_ex(CublasHandle handle, CublasOperation transpose_a,
                     CublasOperation transpose_b, int m, int n, int k,
                     const void* alpha, const void* a_numbers,
                     CublasType a_type, int lda, const void* b_numbers,
                     CublasType b_type, int ldb, const void* beta,
                     void* c_numbers, CublasType c_type, int ldc,
                     CublasCompute compute, CublasAlgorithm) {
  if (!handle) return CublasStatus::kNotInitialized;
  if (!handle->stream || !handle->workspace) {
    throw KernelError("a product needs a stream and a workspace of its own");
  }
  const bool is_a_transposed = transpose_a == CublasOperation::kTranspose;
  const bool is_b_transposed = transpose_b == CublasOperation::kTranspose;
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
    return CublasStatus::kInvalidValue;
  }
  if (!is_supported(a, b, c, compute)) return CublasStatus::kNotSupported;
  check_range(a);
  check_range(b);
  check_range(c);
  const auto add = [&](auto of) {
    using Number = decltype(of);
    cuda_host::enqueue(
        handle->stream, [=, alpha_number = *static_cast<const Number*>(alpha),
                         beta_number = *static_cast<const Number*>(beta)] {
          multiply<Number>(a, b, c, alpha_number, beta_number, compute);
        });
  };
  if (compute == CublasCompute::kFloat64) {
    add(double{});
  } else {
    add(float{});
  }
  return CublasStatus::kSuccess;
}

}  // namespace

const CublasFunctions& cublas_of_tests() {
  static constexpr CublasFunctions kFunctions = {
      create,        destroy,           set_stream, set_workspace,
      set_math_mode, get_status_string, gemm_ex};
  return kFunctions;
}

}  // namespace mlp::cuda
