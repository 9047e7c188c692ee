// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/elu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::activations {
namespace {

// Roundings of a few operations on numbers up to 3.
constexpr double kRounding = 2e-15;

}  // namespace

TEST_SUITE("activations/elu") {
  TEST_CASE("gives the values of exp(z) - 1 below zero") {
    CHECK(Elu::value(2.5) == 2.5);
    CHECK(std::abs(Elu::value(-std::log(4.0)) + 0.75) < kRounding);
    CHECK(Elu::value(0.0) == 0.0);
  }

  TEST_CASE("is its argument where that is tiny and negative") {
    CHECK(Elu::value(-1e-300) == -1e-300);
    CHECK(Elu::value(-1e-30F) == -1e-30F);
  }

  TEST_CASE("saturates to exactly -1") {
    CHECK(Elu::value(-50.0) == -1.0);
    CHECK(Elu::value(std::numeric_limits<double>::lowest()) == -1.0);
    CHECK(Elu::derivative(-1.0) == 0.0);
  }

  TEST_CASE("has no corner at zero") {
    CHECK(Elu::derivative(0.0) == 1.0);
    CHECK(Elu::derivative(1e-300) == 1.0);
    CHECK(Elu::derivative(-0.75) == 0.25);
  }
}

}  // namespace mlp::activations
