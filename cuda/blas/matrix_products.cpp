// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_products.hpp"

#include <string>

#include "../../core/error.hpp"

namespace mlp::cuda {

MatrixProducts::MatrixProducts(const Stream& stream,
                               const CublasFunctions& functions)
    : stream_(stream),
      functions_(functions),
      workspace_(Index{kWorkspaceBytes}) {
  check(functions_.create(&handle_), "cublasCreate");
  try {
    check(functions_.set_stream(handle_, stream.get()), "cublasSetStream");
    // With memory of its own a product does not allocate, so that it can be
    // captured, and has the same bits each time.
    check(functions_.set_workspace(handle_, workspace_.data(),
                                   workspace_.size_bytes()),
          "cublasSetWorkspace");
    check(functions_.set_math_mode(
              handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "cublasSetMathMode");
  } catch (...) {
    static_cast<void>(functions_.destroy(handle_));
    throw;
  }
}

MatrixProducts::~MatrixProducts() {
  static_cast<void>(functions_.destroy(handle_));
}

void MatrixProducts::multiply(const ProductShape& shape, Factor<double> a,
                              Factor<double> b, double beta, double* c) {
  call(shape, a, b, beta, c, {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F});
}

void MatrixProducts::multiply(const ProductShape& shape, Factor<float> a,
                              Factor<float> b, double beta, float* c,
                              Precision precision) {
  call(shape, a, b, static_cast<float>(beta), c,
       {CUDA_R_32F, CUDA_R_32F,
        precision == Precision::kTensorFloat32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                               : CUBLAS_COMPUTE_32F});
}

void MatrixProducts::multiply(const ProductShape& shape,
                              Factor<__nv_bfloat16> a, Factor<__nv_bfloat16> b,
                              double beta, float* c) {
  call(shape, a, b, static_cast<float>(beta), c,
       {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F});
}

template <typename Input, typename Result>
void MatrixProducts::call(const ProductShape& shape, Factor<Input> a,
                          Factor<Input> b, Result beta, Result* c,
                          const ProductTypes& types) {
  const auto operation = [](bool is_transposed) {
    return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const auto m = static_cast<int>(shape.rows);
  const auto n = static_cast<int>(shape.columns);
  const auto k = static_cast<int>(shape.inner);
  const Result alpha = 1;
  check(functions_.gemm_ex(
            handle_, operation(a.is_transposed), operation(b.is_transposed), m,
            n, k, &alpha, a.numbers, types.input, a.is_transposed ? k : m,
            b.numbers, types.input, b.is_transposed ? n : k, &beta, c,
            types.result, m, types.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

void MatrixProducts::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string sentence = std::string("cuBLAS failed: ") + call + ": " +
                               functions_.get_status_string(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw ResourceError(sentence);
  throw DeviceError(sentence);
}

}  // namespace mlp::cuda
