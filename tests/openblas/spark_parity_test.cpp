// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../openblas/openblas_backend.hpp"
#include "../mlp/golden_checks.hpp"
#include "installed_library.hpp"

// The fits recorded from real Spark 3.5.7 once more, as
// tests/mlp/spark_parity_test.cpp holds them against the other backends.

namespace mlp::testing {

TEST_SUITE("openblas/spark_parity") {
  TEST_CASE("follows Spark's objective history to Spark's stop") {
    if (!installed_library()) return;
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;

      check_history(golden, fit_golden(golden, openblas::backend()).summary);
    }
  }

  TEST_CASE("follows Spark's gradient descent") {
    if (!installed_library()) return;
    check_gradient_descent(openblas::backend());
  }

  TEST_CASE("scores Spark's weights as Spark does") {
    if (!installed_library()) return;
    check_scores(openblas::backend());
  }
}

}  // namespace mlp::testing
