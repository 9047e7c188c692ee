// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../../../optim/lbfgs/lbfgs_history.hpp"

namespace mlp::optim {

namespace {

/// Another order of summation over a hundred terms of size 1.
constexpr double kRounding = 1e-13;

Vector make_wave(Index size, double frequency) {
  return (frequency * Vector::LinSpaced(size, 1.0, static_cast<double>(size)))
      .array()
      .sin();
}

}  // namespace

TEST_SUITE("optim/lbfgs/add_and_dot") {
  TEST_CASE("adds a multiple and multiplies by a third vector") {
    for (const Index size : {0, 1, 7, 8, 9, 63, 64, 100}) {
      const Vector y = make_wave(size, 0.3);
      const Vector z = make_wave(size, 0.7);
      Vector x = make_wave(size, 1.1);
      const Vector expected = x + 0.25 * y;

      const double product = add_and_dot(0.25, y, z, x);

      CHECK(x == expected);
      CHECK(std::abs(product - expected.dot(z)) <= kRounding);
    }
  }

  TEST_CASE("takes the vector itself as the third") {
    const Vector y = Vector::Constant(9, 2.0);
    Vector x = Vector::Ones(9);

    CHECK(add_and_dot(-1.0, y, y, x) == -18.0);
    CHECK(x == Vector::Constant(9, -1.0));
  }

  TEST_CASE("spreads what is not a number") {
    Vector x = Vector::Ones(17);
    Vector y = Vector::Zero(17);
    y[16] = std::numeric_limits<double>::quiet_NaN();

    CHECK(std::isnan(add_and_dot(0.0, y, Vector::Ones(17), x)));
    CHECK(std::isnan(x[16]));
    CHECK(x[15] == 1.0);
  }
}

}  // namespace mlp::optim
