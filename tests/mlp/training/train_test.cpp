// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/train.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/instances/training_instances.hpp"
#include "../../../mlp/model/model.hpp"
#include "../../../mlp/objective/validation_loss.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/warm_start.hpp"
#include "../../distributed/ranks.hpp"
#include "support/rings.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using optim::ConvergenceReason;
using namespace testing;

// Sums of some numbers near 1, in another order.
constexpr double kRounding = 1e-13;

// What such sums become over some iterations.
constexpr double kPathTolerance = 1e-9;

// Longer than any training of a test takes, however busy the machine is.
constexpr double kDeadlineSeconds = 120.0;

TrainedWeights run(const Params& params, const Dataset& data = make_rings(30),
                   const FitOptions& options = {}) {
  validate(params);
  return train(topology_of(params), params, data, options);
}

StartWeights start_of(const Params& params) {
  return start_weights(topology_of(params), params, nullptr);
}

/// The weights of layer k, from 0 on.
Vector layer_of(const Topology& topology, Index k, const Vector& weights) {
  return weights.segment(topology.weight_offset(k),
                         topology.layer_end(k) - topology.weight_offset(k));
}

/// Instances 0 .. 29 of the rings, and those of the second half again.
Dataset make_repeated() {
  const Dataset once = make_rings(30);
  Dataset data;
  data.features.resize(2, 45);
  data.labels.resize(45);
  data.features << once.features, once.features.rightCols(15);
  data.labels << once.labels, once.labels.tail(15);
  return data;
}

/// The same with a weight of 2 where make_repeated() repeats.
Dataset make_weighted() {
  Dataset data = make_rings(30);
  data.weights = Vector::Ones(30);
  data.weights.tail(15).setConstant(2.0);
  return data;
}

}  // namespace

TEST_SUITE("mlp/training/train") {
  TEST_CASE("has weights of no size and no reason to stop before it ends") {
    const TrainedWeights trained;

    CHECK(trained.weights.size() == 0);
    CHECK(trained.statistics.size() == 0);
    CHECK(trained.summary.convergence_reason == ConvergenceReason::kNone);
  }

  TEST_CASE("lowers the objective with every solver") {
    for (const Solver solver : kSolvers) {
      const Params params = ring_params(solver);

      const optim::Summary summary = run(params).summary;

      CHECK(summary.total_iterations() == 5);
      CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
      CHECK(summary.objective_history.back() <
            summary.objective_history.front());
    }
  }

  TEST_CASE("takes the solver's own step size where none is given") {
    for (const Solver solver : {Solver::kGradientDescent, Solver::kSgd}) {
      Params params = ring_params(solver);
      params.step_size.reset();
      Params given = params;
      given.step_size = solver == Solver::kSgd ? 0.001 : 0.03;

      CHECK(run(params).weights == run(given).weights);
    }
  }

  TEST_CASE("counts an instance of weight 2 as two") {
    // One block holds all, so that Spark's mean over blocks is that of all.
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      const Params params = ring_params(solver);

      const TrainedWeights weighted = run(params, make_weighted());
      const TrainedWeights repeated = run(params, make_repeated());

      CHECK(weighted.weights.isApprox(repeated.weights, kPathTolerance));
      CHECK(weighted.summary.objective_history.back() ==
            doctest::Approx(repeated.summary.objective_history.back())
                .epsilon(kPathTolerance));
    }
  }

  TEST_CASE("counts an instance of weight 2 as two in a mini-batch of all") {
    Params params = ring_params(Solver::kSgd);
    params.batch_size = 100;

    CHECK(run(params, make_weighted())
              .weights.isApprox(run(params, make_repeated()).weights,
                                kPathTolerance));
  }

  TEST_CASE("counts a class of weight 2 as rows that stand twice") {
    Dataset data = make_rings(30);
    data.weights = Vector::Ones(30);
    for (Index i = 0; i < 30; ++i) {
      if (data.labels[i] == 1.0) data.weights[i] = 2.0;
    }
    for (const Solver solver : kSolvers) {
      const Params params = ring_params(solver);
      Params weighted = params;
      weighted.class_weights = {1.0, 2.0, 1.0};

      CHECK(run(weighted).weights == run(params, data).weights);
    }
  }

  TEST_CASE("spreads a share of the label over all classes") {
    // (1 - s) of -log p of the label, s of the mean of -log p.
    for (const Solver solver : kSolvers) {
      Params params = ring_params(solver);
      params.max_iter = 0;
      params.label_smoothing = 0.25;
      const Dataset data = make_rings(30);

      const TrainedWeights start = run(params, data);
      const Model model(topology_of(params), start.weights);
      const Matrix logs =
          model.predict_probability(data.features).array().log();
      double expected = 0.0;
      for (Index i = 0; i < 30; ++i) {
        const auto label = static_cast<Index>(data.labels[i]);
        expected -= (0.75 * logs(label, i) + 0.25 * logs.col(i).mean()) / 30.0;
      }

      CHECK(start.summary.objective_history[0] ==
            doctest::Approx(expected).epsilon(kRounding));
    }
  }

  TEST_CASE("leaves an instance of weight 0 out") {
    Dataset data = make_rings(30);
    data.weights = Vector::Ones(30);
    data.weights.tail(10).setZero();
    Dataset fewer = make_rings(30);
    fewer.features.conservativeResize(2, 20);
    fewer.labels.conservativeResize(20);
    const Params params = ring_params(Solver::kGradientDescent);

    CHECK(run(params, data)
              .weights.isApprox(run(params, fewer).weights, kPathTolerance));
  }

  TEST_CASE("adds half regParam times the squared weights to the objective") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      Params params = ring_params(solver, {2, 3});
      const double plain = run(params).summary.objective_history.front();
      const Vector weights = start_of(params).weights;

      params.reg_param = 0.5;
      const double penalised = run(params).summary.objective_history.front();

      // 6 weights, then 3 biases.
      CHECK(penalised - plain ==
            doctest::Approx(0.25 * weights.head(6).squaredNorm())
                .epsilon(kRounding));
    }
  }

  TEST_CASE("leaves frozen layers and their statistics bit by bit") {
    for (const Solver solver : kSolvers) {
      Params params = ring_params(solver);
      params.batch_norm = has_mini_batches(solver);
      params.reg_param = 0.1;
      params.freeze = {1, 3};
      const Topology topology = topology_of(params);
      const StartWeights start = start_of(params);

      const TrainedWeights trained = run(params);

      for (const Index k : {0, 2}) {
        CHECK(layer_of(topology, k, trained.weights) ==
              layer_of(topology, k, start.weights));
      }
      CHECK(layer_of(topology, 1, trained.weights) !=
            layer_of(topology, 1, start.weights));
      if (!params.batch_norm) continue;
      CHECK(trained.statistics.head(8) == start.statistics.head(8));
      CHECK(trained.statistics.tail(10) != start.statistics.tail(10));
    }
  }

  TEST_CASE("moves nothing where all layers are frozen") {
    for (const Solver solver : kSolvers) {
      Params params = ring_params(solver, {2, 4, 3});
      params.reg_param = 0.1;
      params.freeze = {1, 2};

      CHECK(run(params).weights == start_of(params).weights);
    }
  }

  TEST_CASE("moves by no more than the clipped gradient") {
    for (const Solver solver : {Solver::kGradientDescent, Solver::kSgd}) {
      Params params = ring_params(solver);
      params.max_iter = 1;
      params.batch_size = 30;
      params.step_size = 1.0;
      const Vector start = start_of(params).weights;

      params.clip_norm = 0.01;
      CHECK((run(params).weights - start).norm() <= 0.01);
      params.clip_norm = 0.0;
      params.clip_value = 0.001;
      const Vector step = run(params).weights - start;

      // The difference of two numbers near 1 is rounded.
      CHECK(step.lpNorm<Eigen::Infinity>() ==
            doctest::Approx(0.001).epsilon(kPathTolerance));
    }
  }

  TEST_CASE("stops after patience iterations and gives the best weights") {
    // Steps that are too long, so that the loss rises.
    for (const Solver solver : {Solver::kGradientDescent, Solver::kSgd}) {
      Params params = ring_params(solver);
      params.step_size = 30.0;
      params.max_iter = 200;
      params.patience = 3;
      const Dataset validation = make_rings(12);
      FitOptions options;
      options.validation = &validation;
      std::vector<Vector> weights;
      options.on_iteration = [&](const optim::Iteration& iteration) {
        weights.push_back(iteration.x);
        return true;
      };

      const TrainedWeights trained = run(params, make_rings(30), options);

      CHECK(trained.summary.convergence_reason ==
            ConvergenceReason::kValidationStalled);
      REQUIRE(weights.size() > 3);
      CHECK(trained.weights == weights[weights.size() - 4]);
    }
  }

  TEST_CASE("gives the best weights where validation does not stall") {
    Params params = ring_params(Solver::kGradientDescent);
    params.step_size = 30.0;
    params.max_iter = 9;
    params.patience = 100;
    const Dataset validation = make_rings(12);
    const Topology topology = topology_of(params);
    const PreparedInstances instances(validation, topology, params);
    ThreadPool pool(1);
    ValidationLoss loss(topology, reference_backend(), instances.range(), pool);
    FitOptions options;
    options.validation = &validation;
    double lowest = 1e300;
    options.on_iteration = [&](const optim::Iteration& iteration) {
      lowest = std::min(lowest, loss.compute(iteration.x, Vector()));
      return true;
    };

    const TrainedWeights trained = run(params, make_rings(30), options);

    CHECK(trained.summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(loss.compute(trained.weights, trained.statistics) == lowest);
  }

  TEST_CASE("starts from a model and replaces its last layer") {
    const Dataset data = make_rings(30);
    const Params params = ring_params(Solver::kAdam, {2, 4, 3});
    const Model model(topology_of(params), run(params).weights);
    FitOptions options;
    options.warm_start = &model;
    Params two_classes = ring_params(Solver::kAdam, {2, 4, 4});
    two_classes.max_iter = 0;

    const Vector weights = run(two_classes, data, options).weights;

    CHECK(weights.head(12) == model.weights().head(12));
    CHECK(weights.tail(20) == start_of(two_classes).weights.tail(20));
  }

  TEST_CASE("starts from the weights of a model") {
    const Dataset data = make_rings(30);
    Params params = ring_params(Solver::kGradientDescent);
    const Model model(topology_of(params), run(params).weights);
    FitOptions options;
    options.warm_start = &model;

    const Vector twice = run(params, data, options).weights;
    params.max_iter = 10;

    CHECK(twice == run(params).weights);
  }

  TEST_CASE("gives the same bytes for any number of threads") {
    for (const Solver solver : kSolvers) {
      Params params = ring_params(solver);
      params.dropout = {has_mini_batches(solver) ? 0.2 : 0.0};
      FitOptions options;
      options.num_threads = 3;

      CHECK(run(params, make_rings(30), options).weights ==
            run(params).weights);
    }
  }

  TEST_CASE("rejects ranks with other columns, before the first sum") {
    const auto train_on_columns = [](const std::vector<std::string>& names) {
      distributed::ThreadGroup group(3, kDeadlineSeconds);
      return distributed::testing::run_ranks(3, [&](int rank) {
        // Rank 0 has no instances, and so no columns to compare.
        Dataset own = make_rings(rank == 0 ? 0 : 30);
        if (rank > 0) own.feature_names = {"a", "b"};
        if (rank == 2) own.feature_names = names;
        FitOptions options;
        options.distribution.allreduce = &group.rank(rank);
        static_cast<void>(run(ring_params(Solver::kLbfgs), own, options));
      });
    };
    const auto refusals = [](const std::string& difference) {
      return std::vector<std::string>(
          3, "rank 2: has " + difference +
                 "; give every rank the same columns in the same order");
    };

    CHECK(train_on_columns({"a", "b"}) == std::vector<std::string>(3));
    CHECK(train_on_columns({"b", "a"}) ==
          refusals("'feature 0 b', but rank 1 has 'feature 0 a'"));
    CHECK(train_on_columns({}) ==
          refusals("'columns without names', but rank 1 has 'columns with "
                   "names'"));
  }

  TEST_CASE("rejects batch normalisation of a single instance") {
    Params params = ring_params(Solver::kAdam);
    params.batch_norm = true;

    CHECK_THROWS_WITH_AS(
        run(params, make_rings(1)),
        "batch normalisation needs at least 2 instances; got 1", DataError);
  }
}

}  // namespace mlp
