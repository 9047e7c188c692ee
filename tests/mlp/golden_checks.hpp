// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Compares fits by a backend with the recorded ones, with the bounds that
/// tests/golden/README.md derives from real Sparks among themselves.

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "../../mlp/classifier.hpp"
#include "golden_fit.hpp"

namespace mlp::testing {

/// Scoring sums at most 100 terms: rounding alone.
inline constexpr double kScoringTolerance = 1e-12;

/// Of our own fit's weights, relative to the vector's norm.
inline constexpr double kWeightTolerance = 1e-5;

/// The agreement that makes evaluations and weights comparable.
inline constexpr double kWholeTolerance = 1e-9;

/// The part of the recorded counts of agreeing entries that must be reached.
inline constexpr double kEntryShare = 0.9;

inline FitResult fit_golden(const GoldenFit& golden, const Backend& backend,
                            FitOptions options = {}) {
  options.backend = &backend;
  options.on_divergence = OnDivergence::kReturn;
  return Classifier(golden.params).fit(golden.data, options);
}

inline Model recorded_model(const GoldenFit& golden) {
  return Model(Topology(golden.params.layers),
               golden_vector(golden.recorded["weights"]),
               golden.params.thresholds);
}

inline void check_vectors(const Vector& received, const Vector& expected,
                          double tolerance) {
  REQUIRE(received.size() == expected.size());
  CHECK((received - expected).norm() <= tolerance * expected.norm());
}

/// Checks an objective history as far as real Sparks agree.
inline void check_history(const GoldenFit& golden,
                          const optim::Summary& summary) {
  const auto& history = golden.recorded["objectiveHistory"];
  CHECK(summary.objective_history.size() == history.size());
  CHECK(summary.total_iterations() ==
        golden.recorded["totalIterations"].get<Index>());
  for (const auto& item : golden.recorded["agreement"]["entries"].items()) {
    const std::string text = item.key();
    CAPTURE(text);
    const auto recorded = item.value().get<std::size_t>();
    const double share = recorded == history.size() ? 1.0 : kEntryShare;
    CHECK(static_cast<double>(agreeing_entries(summary.objective_history,
                                               history, std::stod(text))) >=
          share * static_cast<double>(recorded));
  }
}

/// Checks why a fit stopped, and after how many evaluations.
inline void check_stop(const GoldenFit& golden, const optim::Summary& summary) {
  using optim::ConvergenceReason;
  static const std::map<std::string, ConvergenceReason> reasons = {
      {"maxIter reached", ConvergenceReason::kMaxIter},
      {"function values converged",
       ConvergenceReason::kFunctionValuesConverged},
      {"gradient converged", ConvergenceReason::kGradientConverged},
      {"search failed", ConvergenceReason::kLineSearchFailed}};
  const auto& agreement = golden.recorded["agreement"];
  CHECK(summary.convergence_reason ==
        reasons.at(agreement["stopped"].get<std::string>()));
  if (agreement["evaluations"].is_number() &&
      agreement["entries"]["1e-9"] ==
          golden.recorded["objectiveHistory"].size()) {
    CHECK(summary.evaluations == agreement["evaluations"].get<Index>());
  }
}

/// Checks weights and raw predictions where the whole history agrees.
inline void check_model(const GoldenFit& golden, const FitResult& fit,
                        const Backend& backend) {
  const auto& history = golden.recorded["objectiveHistory"];
  if (agreeing_entries(fit.summary.objective_history, history,
                       kWholeTolerance) != history.size()) {
    return;
  }
  check_vectors(fit.model.weights(), golden_vector(golden.recorded["weights"]),
                kWeightTolerance);
  const Matrix raw = fit.model.predict_raw(golden.data.features, backend);
  const auto& rows = golden.recorded["rows"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_vectors(raw.col(static_cast<Index>(i)),
                  golden_vector(rows[i]["rawPrediction"]), kWeightTolerance);
  }
}

/// Checks that a backend follows Spark's gradient descent.
inline void check_gradient_descent(const Backend& backend,
                                   const FitOptions& options = {}) {
  const std::map<std::string, std::size_t> entries = {
      {"xor_gd", 6}, {"xor_gd_converges", 519}, {"iris_gd", 110}};
  for (const auto& entry : entries) {
    const std::string& name = entry.first;
    CAPTURE(name);
    const GoldenFit golden = read_golden_fit(name);
    const auto& history = golden.recorded["objectiveHistory"];

    const auto received =
        fit_golden(golden, backend, options).summary.objective_history;

    CHECK(received.size() == history.size());
    CHECK(agreeing_entries(received, history, kWholeTolerance) >= entry.second);
  }
}

/// Checks that a backend scores Spark's weights as Spark does.
inline void check_scores(const Backend& backend) {
  for (const std::string& name : golden_fit_names()) {
    CAPTURE(name);
    const GoldenFit golden = read_golden_fit(name);
    const Model model = recorded_model(golden);

    const Matrix raw = model.predict_raw(golden.data.features, backend);

    const auto& rows = golden.recorded["rows"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      check_vectors(raw.col(static_cast<Index>(i)),
                    golden_vector(rows[i]["rawPrediction"]), kScoringTolerance);
    }
    CHECK(model.to_prediction(raw) ==
          golden_vector(golden.recorded["predictions"]));
  }
}

}  // namespace mlp::testing
