// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The fits recorded from real Spark 3.5.7, by solvers on the device over the
// plain network: only what the solvers add up differs from the host.
#include <doctest/doctest.h>

#include <string>

#include "../../mlp/golden_checks.hpp"
#include "solvers_on_device.hpp"

namespace mlp::testing {

namespace {

TEST_SUITE("cuda/solvers golden fits") {
  TEST_CASE("follow Spark's objective history as far as real Sparks agree") {
    const SolversOnDevice backend;
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;

      check_history(golden, fit_golden(golden, backend).summary);
    }
    CHECK(backend.num_made > 0);
  }

  TEST_CASE("follow Spark's gradient descent") {
    const SolversOnDevice backend;
    for (const std::string name : {"xor_gd", "xor_gd_converges", "iris_gd"}) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);

      const optim::Summary summary = fit_golden(golden, backend).summary;

      CHECK(summary.objective_history.size() ==
            golden.recorded["objectiveHistory"].size());
      CHECK(summary.objective_history ==
            fit_golden(golden, reference_backend()).summary.objective_history);
    }
    CHECK(backend.num_made == 3);
  }
}

}  // namespace

}  // namespace mlp::testing
