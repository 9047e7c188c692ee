// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/swish.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {
namespace {

// Roundings of a few operations on numbers up to 3.
constexpr double kRounding = 2e-15;

// exp(-710) is a denormal number of 50 bits.
constexpr double kDenormal = 1e-13;

}  // namespace

TEST_SUITE("activations/swish") {
  TEST_CASE("gives the values of z times the logistic function") {
    const double log3 = std::log(3.0);

    CHECK(std::abs(Swish::value(log3) - 0.75 * log3) < kRounding);
    CHECK(std::abs(Swish::value(-log3) + 0.25 * log3) < kRounding);
    CHECK(Swish::value(0.0) == 0.0);
  }

  TEST_CASE("becomes the argument above and zero below") {
    CHECK(Swish::value(800.0) == 800.0);
    CHECK(Swish::value(-800.0) == 0.0);
    CHECK(Swish::value(std::numeric_limits<double>::max()) ==
          std::numeric_limits<double>::max());
    CHECK(Swish::value(std::numeric_limits<double>::lowest()) == 0.0);
  }

  TEST_CASE("keeps its size where the logistic function has lost its own") {
    // -710 exp(-710), exp(-710) in two normal halves
    const double expected = -710.0 * std::exp(-355.0) * std::exp(-355.0);

    CHECK(std::abs(Swish::value(-710.0) / expected - 1.0) < kDenormal);
  }

  TEST_CASE("tells apart the two sums that share a value") {
    CHECK(Swish::derivative(0.0, Swish::value(0.0)) == 0.5);
    CHECK(Swish::derivative(3.0, Swish::value(3.0)) > 1.0);
    CHECK(Swish::derivative(-3.0, Swish::value(-3.0)) < 0.0);
    CHECK(Swish::derivative(800.0, 800.0) == 1.0);
  }
}

}  // namespace mlp::activations
