// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/softplus.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {
namespace {

// Roundings of a few operations on numbers up to 3.
constexpr double kRounding = 2e-15;

}  // namespace

TEST_SUITE("activations/softplus") {
  TEST_CASE("gives the values of log(1 + exp(z))") {
    CHECK(std::abs(Softplus::value(0.0) - std::log(2.0)) < kRounding);
    CHECK(std::abs(Softplus::value(std::log(3.0)) - std::log(4.0)) < kRounding);
  }

  TEST_CASE("differs from its mirror image by the argument") {
    for (double z = 0.0; z < 3.0; z += 0.1) {
      CHECK(std::abs(Softplus::value(z) - Softplus::value(-z) - z) < kRounding);
    }
  }

  TEST_CASE("becomes the argument above and exp(z) below") {
    CHECK(Softplus::value(800.0) == 800.0);
    CHECK(Softplus::value(std::numeric_limits<double>::max()) ==
          std::numeric_limits<double>::max());
    CHECK(Softplus::value(-50.0) == std::exp(-50.0));
    CHECK(Softplus::value(-800.0) == 0.0);
  }

  TEST_CASE("has the logistic function as its derivative") {
    CHECK(std::abs(Softplus::derivative(std::log(4.0)) - 0.75) < kRounding);
    CHECK(Softplus::derivative(800.0) == 1.0);
    CHECK(Softplus::derivative(0.0) == 0.0);
  }
}

}  // namespace mlp::activations
