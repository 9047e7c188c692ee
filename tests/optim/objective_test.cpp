// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/objective.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <type_traits>

#include "test_objectives.hpp"

namespace mlp::optim {

namespace {

struct WithoutGradient {
  double value(const Vector& x) { return x[0]; }
};

struct OfSinglePrecision {
  float value_and_gradient(const Vector& x, Vector&) {
    return static_cast<float>(x[0]);
  }
};

}  // namespace

TEST_SUITE("optim/objective") {
  TEST_CASE("accepts what returns a double and fills the gradient") {
    CHECK(Objective<testing::Quadratic>);
    CHECK(Objective<testing::Observed<testing::Rosenbrock>>);
  }

  TEST_CASE("refuses types without the function or of another precision") {
    CHECK_FALSE(Objective<WithoutGradient>);
    CHECK_FALSE(Objective<OfSinglePrecision>);
    CHECK_FALSE(Objective<int>);
  }

  TEST_CASE("says that an evaluation was interrupted") {
    CHECK(std::is_base_of_v<std::runtime_error, Interrupted>);
    CHECK(std::string(Interrupted().what()) ==
          "the evaluation was interrupted");
  }
}

}  // namespace mlp::optim
