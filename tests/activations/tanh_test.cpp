// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/tanh.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {
namespace {

// Roundings of a few operations on numbers up to 3.
constexpr double kRounding = 2e-15;

}  // namespace

TEST_SUITE("activations/tanh") {
  TEST_CASE("gives the values of a logistic function from -1 to 1") {
    // tanh(log(3) / 2) = (3 - 1) / (3 + 1)
    CHECK(std::abs(Tanh::value(std::log(3.0) / 2) - 0.5) < kRounding);
    CHECK(Tanh::value(0.0) == 0.0);
  }

  TEST_CASE("is odd, the sign of zero included") {
    for (double z = 0.0; z < 20.0; z += 0.3) {
      CHECK(Tanh::value(-z) == -Tanh::value(z));
    }
    CHECK(std::signbit(Tanh::value(-0.0)));
  }

  TEST_CASE("saturates to exactly -1 and 1") {
    CHECK(Tanh::value(20.0) == 1.0);
    CHECK(Tanh::value(-std::numeric_limits<double>::max()) == -1.0);
    CHECK(Tanh::value(10.0F) == 1.0F);
    CHECK(Tanh::derivative(1.0) == 0.0);
    CHECK(Tanh::derivative(-1.0) == 0.0);
  }

  TEST_CASE("is its argument where that is tiny") {
    CHECK(Tanh::value(1e-300) == 1e-300);
    CHECK(Tanh::value(-1e-30F) == -1e-30F);
    CHECK(Tanh::derivative(1e-300) == 1.0);
  }
}

}  // namespace mlp::activations
