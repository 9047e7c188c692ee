// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/leaky_relu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {
namespace {

// Roundings of a few operations on numbers up to 3.
constexpr double kRounding = 2e-15;

}  // namespace

TEST_SUITE("activations/leaky_relu") {
  TEST_CASE("lets a hundredth of what is negative through") {
    CHECK(LeakyRelu::value(2.5) == 2.5);
    CHECK(std::abs(LeakyRelu::value(-2.5) + 0.025) < kRounding);
    CHECK(LeakyRelu::value(0.0) == 0.0);
  }

  TEST_CASE("has the slope that the sign of the value tells") {
    CHECK(LeakyRelu::derivative(2.5) == 1.0);
    CHECK(LeakyRelu::derivative(-0.025) == LeakyRelu::kSlope);
    CHECK(LeakyRelu::derivative(0.0) == LeakyRelu::kSlope);
  }

  TEST_CASE("stays finite at the ends of the range") {
    const float lowest = std::numeric_limits<float>::lowest();

    CHECK(LeakyRelu::value(-lowest) == -lowest);
    CHECK(LeakyRelu::value(lowest) == 0.01F * lowest);
  }
}

}  // namespace mlp::activations
