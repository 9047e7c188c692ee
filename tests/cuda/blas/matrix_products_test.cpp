// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/blas/matrix_products.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/types.hpp"
#include "../cublas_of_tests.hpp"
#include "../largest_difference.hpp"

namespace mlp::cuda {

namespace {

Matrix random_matrix(Index rows, Index columns, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Matrix::NullaryExpr(rows, columns, [&] { return uniform(generator); });
}

/// A matrix on the device, its numbers converted by a function.
template <typename T, typename Convert>
DeviceArray<T> upload(const Matrix& matrix, const Stream& stream,
                      Convert convert) {
  std::vector<T> numbers;
  for (const double number : matrix.reshaped()) {
    numbers.push_back(convert(number));
  }
  DeviceArray<T> array(matrix.size());
  array.upload(numbers, stream);
  return array;
}

/// Computes 0.5 c + a b in four forms and returns the largest difference from the
/// same in double precision. cuBLAS uses tensor cores for sizes that are multiples
/// of 4; smaller ones may be computed without.
template <typename Input, typename Result, typename Convert, typename Multiply>
double largest_difference(const ProductShape& shape, Convert convert,
                          Multiply multiply) {
  const Stream stream;
  MatrixProducts products(stream, cuda::cublas_of_tests());
  std::mt19937 generator(1);
  double largest = 0.0;
  for (const bool is_a_transposed : {false, true}) {
    for (const bool is_b_transposed : {false, true}) {
      const Matrix a = random_matrix(shape.rows, shape.inner, generator);
      const Matrix b = random_matrix(shape.inner, shape.columns, generator);
      const Matrix c = random_matrix(shape.rows, shape.columns, generator);
      const auto factor_a = upload<Input>(
          is_a_transposed ? Matrix(a.transpose()) : a, stream, convert);
      const auto factor_b = upload<Input>(
          is_b_transposed ? Matrix(b.transpose()) : b, stream, convert);
      auto sum = upload<Result>(
          c, stream, [](double x) { return static_cast<Result>(x); });

      multiply(products, shape,
               cuda::Factor<Input>{factor_a.data(), is_a_transposed},
               cuda::Factor<Input>{factor_b.data(), is_b_transposed},
               sum.data());

      const Matrix expected = 0.5 * c + a * b;
      const std::vector<Result> computed = sum.download(stream);
      largest = testing::larger_difference(
          largest, testing::largest_difference(
                       std::vector<double>(computed.begin(), computed.end()),
                       std::vector<double>(expected.data(),
                                           expected.data() + expected.size())));
    }
  }
  return largest;
}

constexpr auto kToFloat = [](double x) { return static_cast<float>(x); };
constexpr auto kMultiplyFloat = [](Precision precision) {
  return [precision](MatrixProducts& products, const ProductShape& shape,
                     auto a, auto b, float* c) {
    products.multiply(shape, a, b, 0.5, c, precision);
  };
};

constexpr ProductShape kOddShape{7, 5, 33};
constexpr ProductShape kTensorCoreShape{128, 128, 128};

// Up to 128 products of numbers below 1, whose errors have random signs.
constexpr double kFloat64Tolerance = 1e-13;
constexpr double kFloat32Tolerance = 2e-5;
constexpr double kTensorFloat32Tolerance = 2e-2;
constexpr double kBfloat16Tolerance = 1e-1;

TEST_SUITE("cuda/blas/matrix_products") {
  TEST_CASE("multiplies and adds in double precision, transposed or not") {
    for (const ProductShape& shape : {kOddShape, kTensorCoreShape}) {
      const double difference = largest_difference<double, double>(
          shape, [](double x) { return x; },
          [](MatrixProducts& products, const ProductShape& sizes, auto a,
             auto b, double* c) { products.multiply(sizes, a, b, 0.5, c); });

      CHECK(difference < kFloat64Tolerance);
    }
  }

  TEST_CASE("multiplies in single precision") {
    for (const ProductShape& shape : {kOddShape, kTensorCoreShape}) {
      const double difference = largest_difference<float, float>(
          shape, kToFloat, kMultiplyFloat(Precision::kFloat32));

      CHECK(difference < kFloat32Tolerance);
    }
  }

  TEST_CASE("rounds the factors with TF32, but not the sums") {
    const double difference = largest_difference<float, float>(
        kTensorCoreShape, kToFloat, kMultiplyFloat(Precision::kTensorFloat32));

    CHECK(difference < kTensorFloat32Tolerance);
    CHECK(difference > kFloat32Tolerance);
  }

  TEST_CASE("multiplies factors of 16 bits, but not with sums of 16 bits") {
    const double difference = largest_difference<__nv_bfloat16, float>(
        kTensorCoreShape,
        [](double x) { return __float2bfloat16(static_cast<float>(x)); },
        [](MatrixProducts& products, const ProductShape& shape, auto a, auto b,
           float* c) { products.multiply(shape, a, b, 0.5, c); });

    CHECK(difference < kBfloat16Tolerance);
    CHECK(difference > kTensorFloat32Tolerance / 10);
  }

  TEST_CASE("does not read the result if beta is 0") {
    const Stream stream;
    MatrixProducts products(stream, cuda::cublas_of_tests());
    DeviceArray<double> factor(1);
    factor.upload(std::vector<double>{3.0}, stream);
    DeviceArray<double> product(1);  // fresh memory is NaN in tests

    products.multiply({1, 1, 1}, {factor.data()}, {factor.data()}, 0.0,
                      product.data());

    CHECK(product.download(stream) == std::vector<double>{9.0});
  }

  TEST_CASE("names the call that cuBLAS refuses") {
    const Stream stream;
    CublasFunctions functions = cuda::cublas_of_tests();
    functions.gemm_ex = [](auto...) { return CUBLAS_STATUS_NOT_SUPPORTED; };
    functions.get_status_string = [](cublasStatus_t) {
      return "not supported";
    };
    MatrixProducts products(stream, functions);

    CHECK_THROWS_WITH_AS(
        products.multiply({1, 1, 1}, cuda::Factor<double>{nullptr}, {nullptr},
                          0.0, nullptr),
        "cuBLAS failed: cublasGemmEx: not supported", DeviceError);
  }

  TEST_CASE("reports too little memory as such") {
    const Stream stream;
    CublasFunctions functions = cuda::cublas_of_tests();
    functions.create = [](auto) { return CUBLAS_STATUS_ALLOC_FAILED; };
    functions.get_status_string = [](cublasStatus_t) { return "no memory"; };

    CHECK_THROWS_WITH_AS(MatrixProducts(stream, functions),
                         "cuBLAS failed: cublasCreate: no memory",
                         ResourceError);
  }
}

}  // namespace

}  // namespace mlp::cuda
