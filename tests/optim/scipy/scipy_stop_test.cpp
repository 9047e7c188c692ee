// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/scipy/scipy_stop.hpp"

#include <doctest/doctest.h>

namespace mlp::optim {

TEST_SUITE("optim/scipy/scipy_stop") {
  TEST_CASE("stops at a gradient that is not larger than the tolerance") {
    CHECK(test_as_scipy(0.5, 0.5, {3.0}, false) ==
          ConvergenceReason::kGradientConverged);
    CHECK(test_as_scipy(0.51, 0.5, {3.0}, false) == ConvergenceReason::kNone);
    CHECK(test_as_scipy(0.0, 0.0, {}, false) ==
          ConvergenceReason::kGradientConverged);
  }

  TEST_CASE("stops at a decrease of 2.2e-9 of values above 1") {
    CHECK(test_as_scipy(1.0, 0.0, {1e9, 1e9 - 2.0}, false) ==
          ConvergenceReason::kFunctionValuesConverged);
    CHECK(test_as_scipy(1.0, 0.0, {1e9, 1e9 - 3.0}, false) ==
          ConvergenceReason::kNone);
  }

  TEST_CASE("stops at a decrease of 2.2e-9 below 1") {
    CHECK(test_as_scipy(1.0, 0.0, {3e-9, 1e-9}, false) ==
          ConvergenceReason::kFunctionValuesConverged);
    CHECK(test_as_scipy(1.0, 0.0, {4e-9, 1e-9}, false) ==
          ConvergenceReason::kNone);
  }

  TEST_CASE("goes on after a search that failed") {
    CHECK(test_as_scipy(1.0, 0.0, {2.0, 2.0}, true) ==
          ConvergenceReason::kNone);
  }
}

}  // namespace mlp::optim
