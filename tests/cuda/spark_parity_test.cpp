// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "../../cuda/device_backend.hpp"
#include "../../mlp/classifier.hpp"
#include "../mlp/golden_fit.hpp"
#include "cublas_of_tests.hpp"

// Every fit recorded from real Spark 3.5.7, trained on the device in float64, with
// the bounds of tests/golden/README.md.

namespace mlp::testing {
namespace {

constexpr double kWeightTolerance = 1e-5;  // of the vector's norm
constexpr double kWholeTolerance = 1e-9;
constexpr double kScoringTolerance = 1e-12;
constexpr double kEntryShare = 0.9;  // of the counts of agreeing entries

FitResult fit(const GoldenFit& golden, const Backend& backend) {
  FitOptions options;
  options.backend = &backend;
  options.num_threads = 1;
  options.on_divergence = OnDivergence::kReturn;
  return Classifier(golden.params).fit(golden.data, options);
}

optim::ConvergenceReason recorded_reason(const nlohmann::json& agreement) {
  static const std::map<std::string, optim::ConvergenceReason> reasons = {
      {"maxIter reached", optim::ConvergenceReason::kMaxIter},
      {"function values converged",
       optim::ConvergenceReason::kFunctionValuesConverged},
      {"gradient converged", optim::ConvergenceReason::kGradientConverged},
      {"search failed", optim::ConvergenceReason::kLineSearchFailed}};
  return reasons.at(agreement["stopped"].get<std::string>());
}

bool are_close(const Vector& received, const Vector& expected,
               double tolerance) {
  return received.size() == expected.size() &&
         (received - expected).norm() <= tolerance * expected.norm();
}

void check_history(const GoldenFit& golden, const optim::Summary& summary) {
  const auto& history = golden.recorded["objectiveHistory"];
  const auto& agreement = golden.recorded["agreement"];
  CHECK(summary.objective_history.size() == history.size());
  CHECK(summary.convergence_reason == recorded_reason(agreement));
  for (const auto& item : agreement["entries"].items()) {
    const std::string text = item.key();
    CAPTURE(text);
    const auto recorded = item.value().get<std::size_t>();
    const double share = recorded == history.size() ? 1.0 : kEntryShare;
    CHECK(static_cast<double>(agreeing_entries(summary.objective_history,
                                               history, std::stod(text))) >=
          share * static_cast<double>(recorded));
  }
  if (agreement["evaluations"].is_number() &&
      agreement["entries"]["1e-9"] == history.size()) {
    CHECK(summary.evaluations == agreement["evaluations"].get<Index>());
  }
}

/// Checks weights and raw predictions where the whole history agrees.
void check_model(const GoldenFit& golden, const FitResult& result,
                 const Backend& backend) {
  const auto& history = golden.recorded["objectiveHistory"];
  if (agreeing_entries(result.summary.objective_history, history,
                       kWholeTolerance) != history.size()) {
    return;
  }
  CHECK(are_close(result.model.weights(),
                  golden_vector(golden.recorded["weights"]), kWeightTolerance));
  const Matrix raw = result.model.predict_raw(golden.data.features, backend);
  for (std::size_t i = 0; i < golden.recorded["rows"].size(); ++i) {
    CHECK(are_close(raw.col(static_cast<Index>(i)),
                    golden_vector(golden.recorded["rows"][i]["rawPrediction"]),
                    kWeightTolerance));
  }
}

TEST_SUITE("cuda/spark_parity") {
  TEST_CASE("follows Spark's L-BFGS on the device in every recorded fit") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;

      const FitResult result = fit(golden, backend);

      check_history(golden, result.summary);
      check_model(golden, result, backend);
    }
  }

  TEST_CASE("follows Spark's gradient descent on the device") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    const std::map<std::string, std::size_t> entries = {
        {"xor_gd", 6}, {"xor_gd_converges", 519}, {"iris_gd", 110}};
    for (const auto& [name, count] : entries) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const auto& history = golden.recorded["objectiveHistory"];

      const auto received = fit(golden, backend).summary.objective_history;

      CHECK(received.size() == history.size());
      CHECK(agreeing_entries(received, history, kWholeTolerance) >= count);
    }
  }

  TEST_CASE("scores Spark's weights on the device as Spark does") {
    const cuda::DeviceBackend backend({}, cuda::cublas_of_tests());
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const Model model(Topology(golden.params.layers),
                        golden_vector(golden.recorded["weights"]),
                        golden.params.thresholds);

      const Matrix raw = model.predict_raw(golden.data.features, backend);

      const auto& rows = golden.recorded["rows"];
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(are_close(raw.col(static_cast<Index>(i)),
                        golden_vector(rows[i]["rawPrediction"]),
                        kScoringTolerance));
      }
      CHECK(model.to_prediction(raw) ==
            golden_vector(golden.recorded["predictions"]));
    }
  }
}

}  // namespace
}  // namespace mlp::testing
