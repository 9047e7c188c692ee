// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/prediction.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace mlp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Vector numbers(double a, double b, double c) {
  Vector vector(3);
  vector << a, b, c;
  return vector;
}

}  // namespace

TEST_SUITE("mlp/model/prediction") {
  TEST_CASE("finds the largest number wherever it stands") {
    CHECK(argmax(numbers(3.0, 1.0, 2.0)) == 0);
    CHECK(argmax(numbers(1.0, 3.0, 2.0)) == 1);
    CHECK(argmax(numbers(-3.0, -2.0, -1.0)) == 2);
    CHECK(argmax(numbers(0.0, -kInfinity, kInfinity)) == 2);
    CHECK(argmax(Vector::Zero(1)) == 0);
  }

  TEST_CASE("takes the first of equal numbers") {
    CHECK(argmax(numbers(1.0, 2.0, 2.0)) == 1);
    CHECK(argmax(numbers(0.0, 0.0, 0.0)) == 0);
    CHECK(argmax(numbers(-0.0, 0.0, -1.0)) == 0);
  }

  TEST_CASE("keeps NaN at the front and skips it elsewhere") {
    CHECK(argmax(numbers(kNaN, 1.0, 2.0)) == 0);
    CHECK(argmax(numbers(1.0, kNaN, 2.0)) == 2);
    CHECK(argmax(numbers(3.0, 1.0, kNaN)) == 0);
  }

  // 0.5 / 1, 0.3 / 0.5 and 0.2 / 0.25.
  TEST_CASE("divides each probability by its threshold") {
    const Vector p = numbers(0.5, 0.3, 0.2);

    CHECK(argmax_by_thresholds(p, {1.0, 1.0, 1.0}) == 0);
    CHECK(argmax_by_thresholds(p, {1.0, 0.5, 0.25}) == 2);
    CHECK(argmax_by_thresholds(p, {1.0, 0.5, 1.0}) == 1);
  }

  TEST_CASE("takes the first of equal quotients") {
    CHECK(argmax_by_thresholds(numbers(0.25, 0.5, 0.25), {0.5, 1.0, 0.5}) == 0);
  }

  TEST_CASE("lets a threshold of 0 win with any positive probability") {
    const std::vector<double> thresholds{0.5, 0.5, 0.0};

    CHECK(argmax_by_thresholds(numbers(0.9, 0.1, 1e-300), thresholds) == 2);
  }

  TEST_CASE("never lets a threshold of 0 win with the probability 0") {
    const std::vector<double> thresholds{0.5, 0.5, 0.0};

    CHECK(argmax_by_thresholds(numbers(0.1, 0.9, 0.0), thresholds) == 1);
  }

  TEST_CASE("takes class 0 where no quotient is a number") {
    CHECK(argmax_by_thresholds(Vector::Constant(3, kNaN), {1.0, 1.0, 1.0}) ==
          0);
  }
}

}  // namespace mlp
