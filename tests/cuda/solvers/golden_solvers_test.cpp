// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The fits recorded from real Spark 3.5.7, by solvers on the device over the
// plain network: only what the solvers add up differs from the host.
#include <doctest/doctest.h>

#include <string>

#include "../../../mlp/classifier.hpp"
#include "../../mlp/golden_fit.hpp"
#include "solvers_on_device.hpp"

namespace mlp::testing {

namespace {

/// As in tests/mlp/spark_parity_test.cpp.
constexpr double kEntryShare = 0.9;

optim::Summary fit_with(const Backend& backend, const GoldenFit& golden) {
  FitOptions options;
  options.backend = &backend;
  options.on_divergence = OnDivergence::kReturn;
  return Classifier(golden.params).fit(golden.data, options).summary;
}

/// Checks the counts of leading entries that agree with the recorded history.
void check_entries(const optim::Summary& summary,
                   const nlohmann::json& recorded) {
  const auto& history = recorded["objectiveHistory"];
  CHECK(summary.objective_history.size() == history.size());
  for (const auto& item : recorded["agreement"]["entries"].items()) {
    const std::string text = item.key();
    CAPTURE(text);
    const auto count = item.value().get<std::size_t>();
    const double share = count == history.size() ? 1.0 : kEntryShare;
    CHECK(static_cast<double>(agreeing_entries(summary.objective_history,
                                               history, std::stod(text))) >=
          share * static_cast<double>(count));
  }
}

TEST_SUITE("cuda/solvers golden fits") {
  TEST_CASE("follow Spark's objective history as far as real Sparks agree") {
    const SolversOnDevice backend;
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;

      check_entries(fit_with(backend, golden), golden.recorded);
    }
    CHECK(backend.num_made > 0);
  }

  TEST_CASE("follow Spark's gradient descent") {
    const SolversOnDevice backend;
    for (const std::string name : {"xor_gd", "xor_gd_converges", "iris_gd"}) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);

      const optim::Summary summary = fit_with(backend, golden);

      CHECK(summary.objective_history.size() ==
            golden.recorded["objectiveHistory"].size());
      CHECK(summary.objective_history ==
            fit_with(reference_backend(), golden).objective_history);
    }
    CHECK(backend.num_made == 3);
  }
}

}  // namespace

}  // namespace mlp::testing
