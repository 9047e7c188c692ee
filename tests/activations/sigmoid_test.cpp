// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/sigmoid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A few roundings of numbers up to 1.
constexpr double kRounding = 1e-15;

// Truncation h^2 and rounding 1e-16 / h of the central difference, h = 1e-5.
constexpr double kDifferenceTolerance = 1e-9;

}  // namespace

TEST_SUITE("activations/sigmoid") {
  TEST_CASE("gives the values of 1 / (1 + exp(-z))") {
    CHECK(Sigmoid::value(0.0) == 0.5);
    CHECK(std::abs(Sigmoid::value(std::log(3.0)) - 0.75) < kRounding);
    CHECK(std::abs(Sigmoid::value(-std::log(3.0)) - 0.25) < kRounding);
  }

  TEST_CASE("saturates to exactly 0 and 1 and stays NaN") {
    CHECK(Sigmoid::value(-1000.0) == 0.0);
    CHECK(Sigmoid::value(1000.0) == 1.0);
    CHECK(Sigmoid::value(-kInfinity) == 0.0);
    CHECK(Sigmoid::value(kInfinity) == 1.0);
    CHECK(std::isnan(Sigmoid::value(std::nan(""))));
  }

  TEST_CASE("is not clamped before exp overflows") {
    CHECK(Sigmoid::value(-709.0) > 0.0);
    CHECK(Sigmoid::value(-709.0) < 1e-300);
  }

  TEST_CASE("is symmetric about one half and rises") {
    for (double z = -30.0; z < 30.0; z += 0.5) {
      CAPTURE(z);
      CHECK(std::abs(Sigmoid::value(z) + Sigmoid::value(-z) - 1.0) < kRounding);
      CHECK(Sigmoid::value(z) < Sigmoid::value(z + 0.5));
    }
  }

  TEST_CASE("has the derivative that finite differences give") {
    constexpr double kStep = 1e-5;
    for (double z = -8.0; z <= 8.0; z += 0.25) {
      const double difference =
          (Sigmoid::value(z + kStep) - Sigmoid::value(z - kStep)) / (2 * kStep);

      CAPTURE(z);
      CHECK(std::abs(Sigmoid::derivative(Sigmoid::value(z)) - difference) <
            kDifferenceTolerance);
    }
  }

  TEST_CASE("has the derivative 0 where it is saturated") {
    CHECK(Sigmoid::derivative(0.0) == 0.0);
    CHECK(Sigmoid::derivative(1.0) == 0.0);
    CHECK(Sigmoid::derivative(0.5) == 0.25);
  }
}

}  // namespace mlp::activations
