// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/chip_product.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../cuda/runtime/launch.hpp"
#include "../../../cuda/runtime/stream.hpp"

namespace {

using mlp::Index;
using mlp::Matrix;
using mlp::cuda::Add;
using mlp::cuda::Assign;
using mlp::cuda::ChipMatrix;
using mlp::cuda::Multiply;

/// A number that says whether it is part of a matrix, and counts reads of those
/// that are not.
struct MemberNumber {
  MemberNumber() = default;
  explicit MemberNumber(double number) : value(number) {}
  MemberNumber(const MemberNumber& other) { *this = other; }
  MemberNumber& operator=(const MemberNumber& other) {
    num_reads_outside += other.is_member ? 0 : 1;
    value = other.value;
    return *this;
  }
  MemberNumber& operator+=(const MemberNumber& other) {
    value += other.value;
    return *this;
  }
  MemberNumber& operator*=(const MemberNumber& other) {
    value *= other.value;
    return *this;
  }
  friend MemberNumber operator*(const MemberNumber& a, const MemberNumber& b) {
    return MemberNumber(a.value * b.value);
  }

  double value = 0.0;
  bool is_member = true;

  static inline int num_reads_outside = 0;
};

/// Copies a matrix into numbers with others before, between and behind its
/// columns.
class PaddedMatrix {
 public:
  explicit PaddedMatrix(const Matrix& matrix)
      : stride_(static_cast<int>(matrix.rows()) + 3),
        numbers_(static_cast<std::size_t>(stride_ * (matrix.cols() + 12))) {
    for (MemberNumber& number : numbers_) number.is_member = false;
    for (Index j = 0; j < matrix.cols(); ++j) {
      for (Index i = 0; i < matrix.rows(); ++i) {
        at(i, j).value = matrix(i, j);
        at(i, j).is_member = true;
      }
    }
  }

  /// \tparam Number  MemberNumber or const MemberNumber
  template <typename Number>
  [[nodiscard]] ChipMatrix<Number> view() {
    return {&at(0, 0), 1, stride_};
  }
  [[nodiscard]] MemberNumber& at(Index i, Index j) {
    return numbers_[static_cast<std::size_t>(i + (j + 6) * stride_)];
  }

 private:
  int stride_;
  std::vector<MemberNumber> numbers_;
};

template <typename Store>
void product_kernel(int rows, int columns, int depth,
                    ChipMatrix<const MemberNumber> a,
                    ChipMatrix<const MemberNumber> b,
                    ChipMatrix<MemberNumber> c, Store store) {
  mlp::cuda::multiply_on_chip(rows, columns, depth, a, b, c, store);
}

/// Returns what a product of A and B makes of C, and counts its reads outside of
/// the matrices.
template <typename Store>
Matrix multiply(const Matrix& a, const Matrix& b, const Matrix& c,
                Store store) {
  PaddedMatrix on_chip_a(a);
  PaddedMatrix on_chip_b(b);
  PaddedMatrix on_chip_c(c);
  const mlp::cuda::Stream stream;
  MemberNumber::num_reads_outside = 0;
  mlp::cuda::launch(product_kernel<Store>, {1, 32, 0}, stream.get(), c.rows(),
                    c.cols(), a.cols(), on_chip_a.view<const MemberNumber>(),
                    on_chip_b.view<const MemberNumber>(),
                    on_chip_c.view<MemberNumber>(), store);
  stream.synchronize();
  return Matrix::NullaryExpr(c.rows(), c.cols(), [&](Index i, Index j) {
    return on_chip_c.at(i, j).value;
  });
}

Matrix whole_numbers(Index rows, Index columns) {
  return Matrix::NullaryExpr(rows, columns, [](Index i, Index j) {
    return static_cast<double>((3 * i + 5 * j) % 7 - 2);
  });
}

TEST_SUITE("cuda/fused/chip_product") {
  TEST_CASE("multiplies matrices of all small sizes") {
    for (const Index rows : {1, 3, 4, 5, 17}) {
      for (const Index columns : {1, 4, 6, 33}) {
        for (const Index depth : {1, 2, 9}) {
          const Matrix a = whole_numbers(rows, depth);
          const Matrix b = whole_numbers(depth, columns);
          const Matrix c = whole_numbers(rows, columns);
          const Matrix product = a * b;

          CHECK(multiply(a, b, c, Assign{}) == product);
          CHECK(multiply(a, b, c, Add{}) == c + product);
          CHECK(multiply(a, b, c, Multiply{}) == c.cwiseProduct(product));
        }
      }
    }
  }

  TEST_CASE("reads no number outside of the matrices") {
    for (const Index rows : {1, 4, 5, 7}) {
      for (const Index columns : {1, 4, 6, 9}) {
        multiply(whole_numbers(rows, 3), whole_numbers(3, columns),
                 whole_numbers(rows, columns), Add{});

        CHECK(MemberNumber::num_reads_outside == 0);
      }
    }
  }

  TEST_CASE("gives sums of 0 for an inner size of 0") {
    const Matrix c = whole_numbers(3, 2);

    CHECK(multiply(Matrix(3, 0), Matrix(0, 2), c, Assign{}).isZero(0.0));
    CHECK(multiply(Matrix(3, 0), Matrix(0, 2), c, Add{}) == c);
  }
}

}  // namespace
