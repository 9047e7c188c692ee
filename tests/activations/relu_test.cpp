// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/relu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {

TEST_SUITE("activations/relu") {
  TEST_CASE("keeps what is positive and nothing else") {
    CHECK(Relu::value(2.5) == 2.5);
    CHECK(Relu::value(-2.5) == 0.0);
    CHECK(Relu::value(1e-300) == 1e-300);
    CHECK(Relu::value(std::numeric_limits<double>::lowest()) == 0.0);
  }

  TEST_CASE("gives zero without a sign") {
    CHECK_FALSE(std::signbit(Relu::value(-0.0)));
    CHECK_FALSE(std::signbit(Relu::value(-1.0F)));
  }

  TEST_CASE("has the slopes 0 and 1, 0 where the value is 0") {
    CHECK(Relu::derivative(2.5) == 1.0);
    CHECK(Relu::derivative(0.0) == 0.0);
  }
}

}  // namespace mlp::activations
