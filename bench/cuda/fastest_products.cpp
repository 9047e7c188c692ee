// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fastest_products.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "../../core/error.hpp"
#include "../../cuda/blas/cublas_functions.hpp"
#include "random_numbers.hpp"

namespace mlp::bench {
namespace {

/// The memory that an algorithm may use.
constexpr Index kWorkspaceBytes = Index{64} << 20;

/// The algorithms of a product that are timed, and how often.
constexpr int kMaxAlgorithms = 20;
constexpr int kNumTimings = 2;
constexpr int kNumTimedCalls = 3;

void check_status(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string("cuBLASLt failed: ") + call + " returned " +
                    std::to_string(static_cast<int>(status)));
}

template <typename Value>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t name,
         const Value& value) {
  check_status(
      cublasLtMatmulDescSetAttribute(product, name, &value, sizeof value),
      "cublasLtMatmulDescSetAttribute");
}

}  // namespace

FastestProducts::Types FastestProducts::types_of(Precision precision) {
  switch (precision) {
    case Precision::kFloat64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 8};
    case Precision::kTensorFloat32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4, 4};
    case Precision::kBfloat16:
      return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 4};
    case Precision::kFloat32:
      break;
  }
  return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 4};
}

FastestProducts::FastestProducts(const std::vector<NetworkProduct>& products,
                                 Precision precision)
    : precision_(precision),
      types_(types_of(precision)),
      workspace_(kWorkspaceBytes),
      products_(stream_, cuda::cublas_functions()) {
  cublasLtHandle_t handle = nullptr;
  check_status(cublasLtCreate(&handle), "cublasLtCreate");
  handle_.reset(handle);
  allocate(products);
  for (const NetworkProduct& product : products) {
    prepared_.push_back(prepare(product));
    choose_algorithm(prepared_.back());
  }
}

/// Makes matrices that are large enough for every product, of random numbers.
void FastestProducts::allocate(const std::vector<NetworkProduct>& products) {
  std::array<Index, 3> sizes = {};
  for (const NetworkProduct& product : products) {
    sizes[0] = std::max(sizes[0], product.rows * product.inner);
    sizes[1] = std::max(sizes[1], product.inner * product.columns);
    sizes[2] = std::max(sizes[2], product.rows * product.columns);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_result = i == 2;
    matrices_[i] = cuda::DeviceArray<char>(
        sizes[i] * (is_result ? types_.result_bytes : types_.factor_bytes));
    if (!is_result) {
      fill_randomly(types_.factor_bytes, matrices_[i], stream_);
    }
  }
}

FastestProducts::Prepared FastestProducts::prepare(
    const NetworkProduct& product) {
  Prepared prepared;
  prepared.shape = product;
  cublasLtMatmulDesc_t description = nullptr;
  const cudaDataType_t scale_type = types_.result;
  check_status(
      cublasLtMatmulDescCreate(&description, types_.compute, scale_type),
      "cublasLtMatmulDescCreate");
  prepared.product.reset(description);
  const auto operation = [](bool is_transposed) {
    return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  set(description, CUBLASLT_MATMUL_DESC_TRANSA,
      operation(product.is_left_transposed));
  set(description, CUBLASLT_MATMUL_DESC_TRANSB,
      operation(product.is_right_transposed));
  const auto make_layout = [](cudaDataType_t type, Index rows, Index size) {
    cublasLtMatrixLayout_t layout = nullptr;
    check_status(cublasLtMatrixLayoutCreate(
                     &layout, type, static_cast<std::uint64_t>(rows),
                     static_cast<std::uint64_t>(size / rows), rows),
                 "cublasLtMatrixLayoutCreate");
    return Owned<cublasLtMatrixLayout_t>(layout);
  };
  prepared.layouts = {
      make_layout(types_.factor, product.left_rows(),
                  product.rows * product.inner),
      make_layout(types_.factor, product.right_rows(),
                  product.inner * product.columns),
      make_layout(types_.result, product.rows, product.rows * product.columns)};
  return prepared;
}

void FastestProducts::choose_algorithm(Prepared& prepared) {
  cublasLtMatmulPreference_t made = nullptr;
  check_status(cublasLtMatmulPreferenceCreate(&made),
               "cublasLtMatmulPreferenceCreate");
  const Owned<cublasLtMatmulPreference_t> preference(made);
  const std::uint64_t bytes = workspace_.size_bytes();
  check_status(
      cublasLtMatmulPreferenceSetAttribute(
          made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes),
      "cublasLtMatmulPreferenceSetAttribute");
  std::array<cublasLtMatmulHeuristicResult_t, kMaxAlgorithms> found{};
  int num_found = 0;
  check_status(cublasLtMatmulAlgoGetHeuristic(
                   handle_.get(), prepared.product.get(),
                   prepared.layouts[0].get(), prepared.layouts[1].get(),
                   prepared.layouts[2].get(), prepared.layouts[2].get(), made,
                   kMaxAlgorithms, found.data(), &num_found),
               "cublasLtMatmulAlgoGetHeuristic");
  double best = -1.0;
  for (int i = 0; i < num_found; ++i) {
    const auto& candidate = found[static_cast<std::size_t>(i)];
    if (candidate.state != CUBLAS_STATUS_SUCCESS) continue;
    if (time(prepared, candidate.algo, 1) < 0.0) continue;  // warms up
    double fastest = time(prepared, candidate.algo, kNumTimedCalls);
    for (int timing = 1; timing < kNumTimings; ++timing) {
      fastest =
          std::min(fastest, time(prepared, candidate.algo, kNumTimedCalls));
    }
    if (best >= 0.0 && fastest >= best) continue;
    best = fastest;
    prepared.algorithm = candidate.algo;
  }
  if (best < 0.0) {
    throw DeviceError("cuBLASLt has no algorithm for a product that is timed");
  }
}

double FastestProducts::time(const Prepared& prepared,
                             const cublasLtMatmulAlgo_t& algorithm,
                             int num_calls) {
  const double one = 1.0;
  const double zero = 0.0;
  const float single_one = 1.0F;
  const float single_zero = 0.0F;
  const bool is_double = types_.result == CUDA_R_64F;
  const void* const alpha =
      is_double ? static_cast<const void*>(&one) : &single_one;
  const void* const beta =
      is_double ? static_cast<const void*>(&zero) : &single_zero;
  const auto multiply = [&] {
    return cublasLtMatmul(handle_.get(), prepared.product.get(), alpha,
                          matrices_[0].data(), prepared.layouts[0].get(),
                          matrices_[1].data(), prepared.layouts[1].get(), beta,
                          matrices_[2].data(), prepared.layouts[2].get(),
                          matrices_[2].data(), prepared.layouts[2].get(),
                          &algorithm, workspace_.data(),
                          workspace_.size_bytes(), stream_.get());
  };
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const double seconds = clock_.seconds(stream_.get(), [&] {
    for (int i = 0; i < num_calls && status == CUBLAS_STATUS_SUCCESS; ++i) {
      status = multiply();
    }
  });
  return status == CUBLAS_STATUS_SUCCESS ? seconds / num_calls : -1.0;
}

double FastestProducts::seconds() {
  double sum = 0.0;
  for (const Prepared& prepared : prepared_) {
    const double seconds = time(prepared, prepared.algorithm, kNumCalls);
    if (seconds < 0.0) throw DeviceError("cuBLASLt failed: cublasLtMatmul");
    sum += seconds;
  }
  return sum;
}

void FastestProducts::multiply(const NetworkProduct& product) {
  const cuda::ProductShape shape{product.rows, product.columns, product.inner};
  const auto call = [&]<typename Input, typename Result>(auto... precision) {
    products_.multiply(
        shape,
        cuda::Factor<Input>{reinterpret_cast<const Input*>(matrices_[0].data()),
                            product.is_left_transposed},
        cuda::Factor<Input>{reinterpret_cast<const Input*>(matrices_[1].data()),
                            product.is_right_transposed},
        0.0, reinterpret_cast<Result*>(matrices_[2].data()), precision...);
  };
  if (precision_ == Precision::kFloat64) {
    call.operator()<double, double>();
  } else if (precision_ == Precision::kBfloat16) {
    call.operator()<__nv_bfloat16, float>();
  } else {
    call.operator()<float, float>(precision_);
  }
}

std::vector<FastestProducts::Comparison> FastestProducts::compare() {
  std::vector<Comparison> compared;
  for (const Prepared& prepared : prepared_) {
    Comparison comparison;
    comparison.product = prepared.shape;
    multiply(prepared.shape);  // warms up
    comparison.fastest = time(prepared, prepared.algorithm, kNumCalls);
    comparison.ours = clock_.seconds(stream_.get(), [&] {
      for (int i = 0; i < kNumCalls; ++i) {
        multiply(prepared.shape);
      }
    }) / kNumCalls;
    compared.push_back(comparison);
  }
  return compared;
}

}  // namespace mlp::bench
