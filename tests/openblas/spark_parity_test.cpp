// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "../../mlp/classifier.hpp"
#include "../../openblas/openblas_backend.hpp"
#include "../mlp/golden_fit.hpp"
#include "installed_library.hpp"

// The fits recorded from real Spark 3.5.7 once more, as
// tests/mlp/spark_parity_test.cpp holds them against the other backends.

namespace mlp::testing {
namespace {

/// Scoring sums at most 100 terms: rounding alone.
constexpr double kScoringTolerance = 1e-12;

/// Rounding that an optimiser carries along a smooth path.
constexpr double kWholeTolerance = 1e-9;

/// The part of the recorded counts of agreeing entries that must be reached.
constexpr double kEntryShare = 0.9;

optim::Summary fit_summary(const GoldenFit& golden) {
  FitOptions options;
  options.backend = &openblas::backend();
  options.on_divergence = OnDivergence::kReturn;
  return Classifier(golden.params).fit(golden.data, options).summary;
}

}  // namespace

TEST_SUITE("openblas/spark_parity") {
  TEST_CASE("follows Spark's objective history to Spark's stop") {
    if (!installed_library()) return;
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;
      const auto& history = golden.recorded["objectiveHistory"];

      const optim::Summary summary = fit_summary(golden);

      CHECK(summary.total_iterations() ==
            golden.recorded["totalIterations"].get<Index>());
      for (const auto& item : golden.recorded["agreement"]["entries"].items()) {
        const std::string text = item.key();
        CAPTURE(text);
        const auto recorded = item.value().get<std::size_t>();
        const bool is_whole = recorded == history.size();
        CHECK(static_cast<double>(agreeing_entries(summary.objective_history,
                                                   history, std::stod(text))) >=
              (is_whole ? 1.0 : kEntryShare) * static_cast<double>(recorded));
      }
    }
  }

  TEST_CASE("follows Spark's gradient descent") {
    if (!installed_library()) return;
    const std::map<std::string, std::size_t> entries = {
        {"xor_gd", 6}, {"xor_gd_converges", 519}, {"iris_gd", 110}};
    for (const auto& entry : entries) {
      const std::string& name = entry.first;
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const auto& history = golden.recorded["objectiveHistory"];

      const optim::Summary summary = fit_summary(golden);

      CHECK(summary.objective_history.size() == history.size());
      CHECK(agreeing_entries(summary.objective_history, history,
                             kWholeTolerance) >= entry.second);
    }
  }

  TEST_CASE("scores Spark's weights as Spark does") {
    if (!installed_library()) return;
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const Model model(Topology(golden.params.layers),
                        golden_vector(golden.recorded["weights"]),
                        golden.params.thresholds);

      const Matrix raw =
          model.predict_raw(golden.data.features, openblas::backend());

      const auto& rows = golden.recorded["rows"];
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Vector expected = golden_vector(rows[i]["rawPrediction"]);
        CHECK((raw.col(static_cast<Index>(i)) - expected).norm() <=
              kScoringTolerance * expected.norm());
      }
      CHECK(model.to_prediction(raw) ==
            golden_vector(golden.recorded["predictions"]));
    }
  }
}

}  // namespace mlp::testing
