// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_products.hpp"

#include <string>

#include "../../core/error.hpp"

namespace mlp::cuda {

MatrixProducts::MatrixProducts(const Stream& stream,
                               const CublasFunctions& functions)
    : functions_(functions), workspace_(Index{kWorkspaceBytes}) {
  check(functions_.create(&handle_), "cublasCreate");
  try {
    check(functions_.set_stream(handle_, stream.get()), "cublasSetStream");
    // With memory of its own a product does not allocate, so that it can be
    // captured, and has the same bits each time.
    check(functions_.set_workspace(handle_, workspace_.data(),
                                   workspace_.size_bytes()),
          "cublasSetWorkspace");
    check(functions_.set_math_mode(
              handle_, CublasMath::kDisallowReducedPrecisionReduction),
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
  call(shape, a, b, beta, c, CublasType::kFloat64, CublasType::kFloat64,
       CublasCompute::kFloat64);
}

void MatrixProducts::multiply(const ProductShape& shape, Factor<float> a,
                              Factor<float> b, double beta, float* c,
                              Precision precision) {
  call(shape, a, b, static_cast<float>(beta), c, CublasType::kFloat32,
       CublasType::kFloat32,
       precision == Precision::kTensorFloat32 ? CublasCompute::kTensorFloat32
                                              : CublasCompute::kFloat32);
}

void MatrixProducts::multiply(const ProductShape& shape,
                              Factor<__nv_bfloat16> a, Factor<__nv_bfloat16> b,
                              double beta, float* c) {
  call(shape, a, b, static_cast<float>(beta), c, CublasType::kBfloat16,
       CublasType::kFloat32, CublasCompute::kFloat32);
}

template <typename Input, typename Result>
void MatrixProducts::call(const ProductShape& shape, Factor<Input> a,
                          Factor<Input> b, Result beta, Result* c,
                          CublasType input_type, CublasType result_type,
                          CublasCompute compute) {
  const auto operation = [](bool is_transposed) {
    return is_transposed ? CublasOperation::kTranspose : CublasOperation::kNone;
  };
  const auto m = static_cast<int>(shape.rows);
  const auto n = static_cast<int>(shape.columns);
  const auto k = static_cast<int>(shape.inner);
  const Result alpha = 1;
  check(functions_.gemm_ex(
            handle_, operation(a.is_transposed), operation(b.is_transposed), m,
            n, k, &alpha, a.numbers, input_type, a.is_transposed ? k : m,
            b.numbers, input_type, b.is_transposed ? n : k, &beta, c,
            result_type, m, compute, CublasAlgorithm::kDefault),
        "cublasGemmEx");
}

void MatrixProducts::check(CublasStatus status, const char* call) const {
  if (status == CublasStatus::kSuccess) return;
  const std::string sentence = std::string("cuBLAS failed: ") + call + ": " +
                               functions_.get_status_string(status);
  if (status == CublasStatus::kAllocFailed) throw ResourceError(sentence);
  throw DeviceError(sentence);
}

}  // namespace mlp::cuda
