// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../../optim/lbfgs/value_window.hpp"

namespace mlp::optim {

namespace {

/// Values that fall from a first to a last one, with the fall in one of 11 entries.
std::vector<double> values_of(double first, double last, std::size_t fall) {
  std::vector<double> values(11, first);
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(fall), values.end(),
            last);
  return values;
}

}  // namespace

TEST_SUITE("optim/lbfgs/scipy_stop") {
  TEST_CASE("stops at a gradient that is not larger than the tolerance") {
    CHECK(test_as_scipy(0.5, 0.5, {3.0}) ==
          ConvergenceReason::kGradientConverged);
    CHECK(test_as_scipy(0.51, 0.5, {3.0}) == ConvergenceReason::kNone);
    CHECK(test_as_scipy(0.0, 0.0, {}) == ConvergenceReason::kGradientConverged);
  }

  TEST_CASE("stops at a decrease of 2.2e-9 of values above 1") {
    for (const std::size_t fall : {1, 5, 10}) {
      CHECK(test_as_scipy(1.0, 0.0, values_of(1e9, 1e9 - 2.0, fall)) ==
            ConvergenceReason::kFunctionValuesConverged);
      CHECK(test_as_scipy(1.0, 0.0, values_of(1e9, 1e9 - 3.0, fall)) ==
            ConvergenceReason::kNone);
    }
  }

  TEST_CASE("stops at a decrease of 2.2e-9 below 1") {
    CHECK(test_as_scipy(1.0, 0.0, values_of(3e-9, 1e-9, 4)) ==
          ConvergenceReason::kFunctionValuesConverged);
    CHECK(test_as_scipy(1.0, 0.0, values_of(4e-9, 1e-9, 4)) ==
          ConvergenceReason::kNone);
  }

  TEST_CASE("waits for ten iterations") {
    CHECK(test_as_scipy(1.0, 0.0, std::vector<double>(10, 2.0)) ==
          ConvergenceReason::kNone);
    CHECK(test_as_scipy(1.0, 0.0, std::vector<double>(11, 2.0)) ==
          ConvergenceReason::kFunctionValuesConverged);
  }
}

}  // namespace mlp::optim
