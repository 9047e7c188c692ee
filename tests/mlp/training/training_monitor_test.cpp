// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/training_monitor.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "../spark_problems.hpp"
#include "support/rank_training.hpp"
#include "support/rings.hpp"
#include "support/stopping_backend.hpp"

namespace mlp {

namespace {

using optim::ConvergenceReason;

const Topology kTopology({2, 2});

/// Biases that favour class 1 by this much; XOR has as many of both classes, so
/// that the loss grows with its size.
Vector weights_of(double bias) {
  Vector weights = Vector::Zero(6);
  weights[5] = bias;
  return weights;
}

ConvergenceReason observe(TrainingMonitor& monitor, const Vector& weights) {
  return monitor.observe({0, 0.0, 0.0, 1, weights}, Vector());
}

Params params_of(Index patience) {
  Params params;
  params.layers = {2, 2};
  params.patience = patience;
  return params;
}

/// A training that XOR validates.
struct Validated {
  Validated() { options.validation = &validation; }

  datasets::Dataset validation = testing::make_xor();
  ThreadPool pool{1};
  FitOptions options;
};

}  // namespace

TEST_SUITE("mlp/training/training_monitor") {
  TEST_CASE("goes on where nobody asks to stop") {
    ThreadPool pool(1);
    const FitOptions options;
    const Params params = params_of(1);
    TrainingMonitor monitor(kTopology, params, options, pool);
    Vector weights = weights_of(1);
    Vector statistics;

    CHECK(observe(monitor, weights) == ConvergenceReason::kNone);
    CHECK(observe(monitor, weights) == ConvergenceReason::kNone);
    optim::Summary summary;
    monitor.finish(weights, statistics, summary);

    CHECK(weights == weights_of(1));
  }

  TEST_CASE("stops where the callback says so") {
    ThreadPool pool(1);
    FitOptions options;
    options.on_iteration = [](const optim::Iteration& iteration) {
      return iteration.x[5] < 2.0;
    };
    TrainingMonitor monitor(kTopology, params_of(1), options, pool);

    CHECK(observe(monitor, weights_of(1)) == ConvergenceReason::kNone);
    CHECK(observe(monitor, weights_of(2)) ==
          ConvergenceReason::kStoppedByCallback);
  }

  TEST_CASE_FIXTURE(
      Validated, "stops where validation stalls and gives the best weights") {
    TrainingMonitor monitor(kTopology, params_of(2), options, pool);
    Vector weights;
    Vector statistics;

    CHECK(observe(monitor, weights_of(2)) == ConvergenceReason::kNone);
    CHECK(observe(monitor, weights_of(1)) == ConvergenceReason::kNone);
    CHECK(observe(monitor, weights_of(3)) == ConvergenceReason::kNone);
    CHECK(observe(monitor, weights_of(2)) ==
          ConvergenceReason::kValidationStalled);
    optim::Summary summary;
    summary.objective_history.resize(4);
    monitor.finish(weights, statistics, summary);

    CHECK(weights == weights_of(1));
    CHECK(summary.validation_history.size() == 4);
    CHECK(summary.best_iteration() == 1);
  }

  TEST_CASE_FIXTURE(Validated, "tells the callback the validation loss") {
    std::vector<std::optional<double>> losses;
    options.on_iteration = [&](const optim::Iteration& iteration) {
      losses.push_back(iteration.validation_loss);
      return true;
    };
    TrainingMonitor monitor(kTopology, params_of(2), options, pool);

    static_cast<void>(observe(monitor, weights_of(2)));
    static_cast<void>(observe(monitor, weights_of(1)));

    REQUIRE(losses.size() == 2);
    CHECK(losses[1].value() < losses[0].value());
  }

  TEST_CASE_FIXTURE(Validated,
                    "asks the callback where validation stalls too") {
    int num_calls = 0;
    options.on_iteration = [&](const optim::Iteration&) {
      return ++num_calls < 2;
    };
    TrainingMonitor monitor(kTopology, params_of(1), options, pool);

    observe(monitor, weights_of(1));

    CHECK(observe(monitor, weights_of(2)) ==
          ConvergenceReason::kStoppedByCallback);
    CHECK(num_calls == 2);
  }

  TEST_CASE_FIXTURE(Validated, "resumes from a saved state") {
    TrainingMonitor monitor(kTopology, params_of(2), options, pool);
    observe(monitor, weights_of(1));
    observe(monitor, weights_of(2));
    ByteWriter writer;
    monitor.save(writer);
    TrainingMonitor restored(kTopology, params_of(2), options, pool);

    ByteReader reader(writer.bytes(), "the state");
    restored.restore(reader, kTopology.num_weights(), 0);

    CHECK(observe(restored, weights_of(3)) ==
          ConvergenceReason::kValidationStalled);
  }

  TEST_CASE("stops all ranks where one stops within a validation") {
    const datasets::Dataset data = testing::make_rings(60);
    const datasets::Dataset validation = testing::make_rings(20);
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent,
                                Solver::kSgd, Solver::kAdam}) {
      for (const int num_outputs : {0, 3}) {
        testing::StopAtOutput stop(num_outputs);
        const testing::StoppingBackend backend(stop);
        Params params;
        params.layers = {2, 5, 3};
        params.solver = solver;
        const testing::RankTraining ranks = testing::train_on_ranks(
            params, data, {30, 30}, {},
            [&](int rank, Params&, FitOptions& options) {
              options.validation = &validation;
              if (rank == 0) return;
              options.backend = &backend;
              options.is_stopping = &stop.is_stopping;
            });

        CHECK(ranks.errors == std::vector<std::string>(2));
        CHECK(stop.num_late == 0);
        CHECK(ranks.results[0].summary.convergence_reason ==
              ConvergenceReason::kStoppedByCallback);
      }
    }
  }

  TEST_CASE("rejects a validation set of another width") {
    const datasets::Dataset validation = testing::make_calibration();
    ThreadPool pool(1);
    FitOptions options;
    options.validation = &validation;

    CHECK_THROWS_WITH_AS(
        TrainingMonitor(kTopology, params_of(1), options, pool),
        "instances must have 2 features for layers [2, 2]; got 4", ShapeError);
  }
}

}  // namespace mlp
