// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/number_math.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {

TEST_SUITE("activations/number_math") {
  TEST_CASE("chooses by the sign and takes zero for not positive") {
    CHECK(where_positive(2.0, 10, 20) == 10.0);
    CHECK(where_positive(-2.0, 10, 20) == 20.0);
    CHECK(where_positive(0.0, 10, 20) == 20.0);
    CHECK(where_positive(-0.0, 10, 20) == 20.0);
  }

  TEST_CASE("chooses neither for NaN") {
    const float nan = std::numeric_limits<float>::quiet_NaN();

    CHECK(std::isnan(where_positive(nan, 10, 20)));
  }

  TEST_CASE("takes over a sign, that of zero too") {
    CHECK(with_sign(3.0, -1.0) == -3.0);
    CHECK(with_sign(-3.0, 1.0) == 3.0);
    CHECK(std::signbit(with_sign(0.0F, -0.0F)));
  }

  TEST_CASE("does not cancel at small numbers") {
    CHECK(expm1(1e-300) == 1e-300);
    CHECK(log1p(1e-300) == 1e-300);
    CHECK(expm1(1e-30F) == 1e-30F);
    CHECK(log1p(1e-30F) == 1e-30F);
  }

  TEST_CASE("has the words of both precisions") {
    CHECK(constant<float>(0.25) == 0.25F);
    CHECK(exp(0.0F) == 1.0F);
    CHECK(abs(-2.5F) == 2.5F);
    CHECK(logistic(0.0F) == 0.5F);
    CHECK(logistic(-1000.0) == 0.0);
  }
}

}  // namespace mlp::activations
