// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "../../cpu/cpu_backend.hpp"
#include "../../datasets/random_split.hpp"
#include "../../mlp/network/initial_weights.hpp"
#include "golden_checks.hpp"

// Every fit recorded from real Spark 3.5.7, with the bounds that
// tests/golden/README.md derives from real Sparks among themselves.

namespace mlp::testing {
namespace {

const std::array<const Backend*, 2>& backends() {
  static const std::array<const Backend*, 2> all = {&reference_backend(),
                                                    &cpu::backend()};
  return all;
}

/// Every metric under the name that Spark gives it.
std::map<std::string, std::vector<double>> by_name(const Metrics& metrics) {
  return {
      {"accuracy", {metrics.accuracy()}},
      {"labels", metrics.labels()},
      {"precisionByLabel", metrics.precision_by_label()},
      {"recallByLabel", metrics.recall_by_label()},
      {"truePositiveRateByLabel", metrics.true_positive_rate_by_label()},
      {"falsePositiveRateByLabel", metrics.false_positive_rate_by_label()},
      {"fMeasureByLabel", metrics.f_measure_by_label()},
      {"fMeasureByLabelBeta2", metrics.f_measure_by_label(2.0)},
      {"weightedPrecision", {metrics.weighted_precision()}},
      {"weightedRecall", {metrics.weighted_recall()}},
      {"weightedFMeasure", {metrics.weighted_f_measure()}},
      {"weightedFMeasureBeta2", {metrics.weighted_f_measure(2.0)}},
      {"weightedFalsePositiveRate", {metrics.weighted_false_positive_rate()}},
      {"weightedTruePositiveRate", {metrics.weighted_true_positive_rate()}}};
}

void check_metrics(const nlohmann::json& recorded, const Metrics& metrics) {
  const auto received = by_name(metrics);
  for (const auto& item : recorded.items()) {
    const std::string key = item.key();
    const nlohmann::json& value = item.value();
    CAPTURE(key);
    const Vector expected = golden_vector(
        value.is_array() ? value : nlohmann::json::array({value}));
    const std::vector<double>& numbers = received.at(key);
    REQUIRE(static_cast<Index>(numbers.size()) == expected.size());
    for (Index i = 0; i < expected.size(); ++i) {
      const double number = numbers[static_cast<std::size_t>(i)];
      const bool is_met =
          std::isnan(expected[i])
              ? std::isnan(number)
              : std::abs(number - expected[i]) <= kScoringTolerance;
      CHECK(is_met);
    }
  }
}

}  // namespace

TEST_SUITE("mlp/spark_parity") {
  TEST_CASE("starts at Spark's initial weights bit for bit") {
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (golden.recorded["initialWeights"].is_null()) continue;
      const Vector expected = golden_vector(golden.recorded["initialWeights"]);

      const Vector drawn = draw_initial_weights(Topology(golden.params.layers),
                                                golden.params.seed);

      CHECK(drawn == expected);
    }
  }

  TEST_CASE("follows Spark's history and stops where and why Spark stops") {
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      if (!golden.recorded.contains("agreement")) continue;
      for (const Backend* backend : backends()) {
        CAPTURE(backend->name());

        const optim::Summary summary = fit_golden(golden, *backend).summary;

        check_history(golden, summary);
        check_stop(golden, summary);
      }
    }
  }

  TEST_CASE("follows Spark's gradient descent") {
    for (const Backend* backend : backends()) {
      CAPTURE(backend->name());
      check_gradient_descent(*backend);
    }
  }

  TEST_CASE("ends at Spark's weights and raw predictions") {
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);

      check_model(golden, fit_golden(golden, cpu::backend()),
                  reference_backend());
    }
  }

  TEST_CASE("scores Spark's weights as Spark does") {
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const Model model = recorded_model(golden);
      const auto& rows = golden.recorded["rows"];
      for (const Backend* backend : backends()) {
        const Matrix raw = model.predict_raw(golden.data.features, *backend);
        const Matrix probability = model.to_probability(raw);
        const Vector prediction = model.to_prediction(raw);

        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto column = static_cast<Index>(i);
          check_vectors(raw.col(column),
                        golden_vector(rows[i]["rawPrediction"]),
                        kScoringTolerance);
          check_vectors(probability.col(column),
                        golden_vector(rows[i]["probability"]),
                        kScoringTolerance);
          CHECK(prediction[column] == golden_number(rows[i]["prediction"]));
        }
        CHECK(prediction == golden_vector(golden.recorded["predictions"]));
      }
    }
  }

  TEST_CASE("computes the metrics of Spark's summary") {
    for (const std::string& name : golden_fit_names()) {
      CAPTURE(name);
      const GoldenFit golden = read_golden_fit(name);
      const Metrics metrics = evaluate(recorded_model(golden), golden.data);
      CHECK(metrics.accuracy() ==
            doctest::Approx(golden.recorded["accuracy"].get<double>())
                .epsilon(kScoringTolerance));
      if (!golden.recorded.contains("metrics")) continue;

      check_metrics(golden.recorded["metrics"], metrics);
    }
  }

  TEST_CASE("repeats the example of Spark's guide, its split included") {
    const nlohmann::json recorded = read_golden("user_guide");
    constexpr double kGuideTolerance = 1e-6;
    const datasets::Dataset data = read_golden_data(recorded);
    const std::vector<double> weights = recorded["randomSplit"]["weights"];
    const std::vector<datasets::Dataset> parts = datasets::random_split(
        data, weights, recorded["randomSplit"]["seed"].get<std::int64_t>());
    Params params;
    params.layers = {4, 5, 4, 3};
    params.seed = 1234;
    for (const Backend* backend : backends()) {
      FitOptions options;
      options.backend = backend;

      const FitResult fit = Classifier(params).fit(parts.at(0), options);

      const auto& history = recorded["objectiveHistory"];
      CHECK(fit.summary.objective_history.size() == history.size());
      CHECK(agreeing_entries(fit.summary.objective_history, history,
                             kGuideTolerance) == history.size());
      CHECK(evaluate(fit.model, parts.at(1)).accuracy() ==
            recorded["testAccuracy"].get<double>());
    }
  }
}

}  // namespace mlp::testing
