// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reproducible trainings on ranks, of instances whose weights are no integers.

#include <doctest/doctest.h>

#include <string>

#include "../../../core/spark_random.hpp"
#include "support/rank_training.hpp"
#include "support/rings.hpp"

namespace mlp {

namespace {

using datasets::Dataset;
using testing::kSolvers;
using testing::train_on_ranks;

constexpr Index kSize = 3000;

Params params_of(Solver solver) {
  Params params = testing::ring_params(solver, {2, 5, 3});
  params.max_iter = 2;
  params.batch_size = 300;
  params.step_size = 0.01;
  return params;
}

FitOptions reproducible(Precision precision = Precision::kFloat64) {
  FitOptions options;
  options.precision = precision;
  options.distribution.is_reproducible = true;
  return options;
}

/// Classes, and weights in [0, 3) whose sum depends on the order.
Dataset make_weighted() {
  Dataset data = testing::make_rings(kSize);
  SparkRandom random(11);
  data.weights = Vector(kSize);
  for (double& weight : data.weights) weight = 3.0 * random.next_double();
  return data;
}

/// Three targets far from 0 instead of classes.
Dataset make_weighted_targets() {
  Dataset data = make_weighted();
  data.labels.resize(0);
  data.targets = Matrix(3, kSize);
  data.targets.row(0) = data.features.row(0).array().sin() + 152.1;
  data.targets.row(1) = 1e6 * data.features.row(1);
  data.targets.row(2) = data.targets.row(0) * 1e-3;
  return data;
}

/// Compares several ranks with one rank, bit for bit.
void check_same_bits(const Params& params, const Dataset& data,
                     const FitOptions& options) {
  const auto train_on = [&](int world_size) {
    return train_on_ranks(
        params, data, testing::slice_shares(params, options, kSize, world_size),
        options);
  };
  const TrainedWeights alone = train_on(1).results[0];
  CHECK(alone.weights.allFinite());
  for (const int world_size : {2, 3, 5}) {
    const testing::RankTraining ranks = train_on(world_size);
    CAPTURE(world_size);
    for (const std::string& error : ranks.errors) REQUIRE(error == "");
    for (const TrainedWeights& result : ranks.results) {
      CHECK(result.weights == alone.weights);
      CHECK(result.summary.objective_history ==
            alone.summary.objective_history);
    }
  }
}

}  // namespace

TEST_SUITE("mlp/weighted_ranks") {
  TEST_CASE("classify with the same bits on any number of ranks") {
    const Dataset data = make_weighted();
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = params_of(solver);
      params.class_weights = {1.0, 0.3, 2.1};
      check_same_bits(params, data, reproducible());
      if (!has_mini_batches(solver)) continue;
      check_same_bits(params, data, reproducible(Precision::kFloat32));
    }
  }

  TEST_CASE("start and train regressions with the same bits") {
    const Dataset data = make_weighted_targets();
    for (const Solver solver : kSolvers) {
      CAPTURE(static_cast<int>(solver));
      Params params = params_of(solver);
      params.task = Task::kRegression;
      params.activation = {*Activation::find("tanh")};
      for (const Index max_iter : {0, 2}) {
        params.max_iter = max_iter;
        check_same_bits(params, data, reproducible());
      }
    }
  }

  TEST_CASE("have the bits of no weights where each is 1") {
    Dataset data = testing::make_rings(kSize);
    const Params params = params_of(Solver::kAdam);
    const auto sizes = testing::slice_shares(params, reproducible(), kSize, 2);
    const auto plain = train_on_ranks(params, data, sizes, reproducible());
    data.weights = Vector::Ones(kSize);

    const auto weighted = train_on_ranks(params, data, sizes, reproducible());

    CHECK(weighted.results[0].weights == plain.results[0].weights);
  }
}

}  // namespace mlp
