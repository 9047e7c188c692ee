// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Regressions of any offset and scale that L-BFGS must not give up on.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../mlp/regressor.hpp"

namespace mlp {

namespace {

/// Draws what a problem is made of.
struct Draws {
  SparkRandom random;

  double between(double least, double most) {
    return least + (most - least) * random.next_double();
  }
  double power_of_10(double least, double most) {
    return std::pow(10.0, between(least, most));
  }
  Index integer(Index least, Index most) {
    return least + static_cast<Index>(random.next_double() *
                                      static_cast<double>(most - least + 1));
  }
  bool has_share(double share) { return random.next_double() < share; }
};

struct Problem {
  datasets::Dataset data;
  Params params;
  double offset = 0.0;
  double scale = 0.0;
};

/// Features near 0 and 1, or each of its own scale and offset.
Matrix draw_features(Draws& draws, Index num_features, Index size) {
  Matrix features(num_features, size);
  const bool is_standard = draws.has_share(0.5);
  for (Index j = 0; j < num_features; ++j) {
    const double scale = is_standard ? 1.0 : draws.power_of_10(-3, 3);
    const double offset = is_standard ? 0.0 : scale * draws.between(-10, 10);
    for (double& x : features.row(j)) {
      x = offset + scale * draws.random.next_gaussian();
    }
  }
  return features;
}

/// A sum of the features, in units of their deviation, and a wave and noise.
Vector draw_targets(Draws& draws, const Matrix& features) {
  Vector sums = Vector::Zero(features.cols());
  for (Index j = 0; j < features.rows(); ++j) {
    const Vector centred =
        features.row(j).transpose().array() - features.row(j).mean();
    sums += draws.random.next_gaussian() * centred /
            std::sqrt(centred.squaredNorm() / static_cast<double>(sums.size()));
  }
  for (double& y : sums) {
    y += 0.3 * std::sin(2.0 * y) + 0.2 * draws.random.next_gaussian();
  }
  return sums;
}

Params draw_params(Draws& draws, Index num_features, Index num_targets) {
  Params params;
  params.layers = {num_features};
  const Index num_hidden = draws.integer(1, 3);
  for (Index k = 0; k < num_hidden; ++k) {
    params.layers.push_back(draws.integer(2, 9));
  }
  params.layers.push_back(num_targets);
  const std::vector<std::string> names{"relu", "tanh", "sigmoid"};
  params.activation = {
      *Activation::find(names[static_cast<std::size_t>(draws.integer(0, 2))])};
  if (draws.has_share(0.3)) params.init = Initialization::kHeNormal;
  if (draws.has_share(0.3)) params.reg_param = 1e-4;
  params.seed = draws.integer(0, 1000);
  params.max_iter = 25;
  return params;
}

Problem draw_problem(std::int64_t seed) {
  Draws draws{SparkRandom(seed)};
  Problem problem;
  const Index num_features = draws.integer(1, 6);
  const Index num_targets = draws.has_share(0.5) ? 1 : draws.integer(2, 3);
  const Index size = draws.integer(20, 80);
  problem.offset = draws.has_share(0.2) ? 1e6 : draws.power_of_10(-6, 6);
  if (draws.has_share(0.5)) problem.offset *= -1.0;
  problem.scale = draws.power_of_10(-6, 6);
  if (draws.has_share(0.2)) problem.scale = draws.has_share(0.5) ? 1e6 : 1e-6;
  problem.data.features = draw_features(draws, num_features, size);
  problem.data.targets = Matrix(num_targets, size);
  for (Index i = 0; i < num_targets; ++i) {
    problem.data.targets.row(i) =
        problem.offset +
        problem.scale * draw_targets(draws, problem.data.features).array();
  }
  if (draws.has_share(0.5)) {
    problem.data.weights = Vector(size);
    for (double& w : problem.data.weights) w = draws.power_of_10(-3, 3);
  }
  problem.params = draw_params(draws, num_features, num_targets);
  return problem;
}

/// Features near 0 and 1, and labels with a mean of 10,000 deviations.
datasets::Dataset draw_labels(std::int64_t seed, double scale) {
  Draws draws{SparkRandom(seed)};
  datasets::Dataset data;
  data.features = Matrix(3, 100);
  for (double& x : data.features.reshaped()) x = draws.random.next_gaussian();
  const Vector shape = draw_targets(draws, data.features);
  data.labels = 1e4 * scale + scale * shape.array();
  return data;
}

}  // namespace

TEST_SUITE("mlp/random_regressions") {
  TEST_CASE("learn before a line search fails, whatever the targets' unit") {
    constexpr double kLearned = 1e-3;  // relative decrease of the objective
    int num_learned = 0;
    for (std::int64_t seed = 1; seed <= 200; ++seed) {
      const Problem problem = draw_problem(seed);

      const optim::Summary summary =
          Regressor(problem.params).fit(problem.data).summary;

      CAPTURE(seed);
      CAPTURE(problem.offset);
      CAPTURE(problem.scale);
      const std::vector<double>& history = summary.objective_history;
      const bool has_learned =
          history.back() <= (1.0 - kLearned) * history.front();
      CHECK((has_learned || summary.convergence_reason !=
                                optim::ConvergenceReason::kLineSearchFailed));
      num_learned += has_learned ? 1 : 0;
    }
    // The rest starts where every unit is saturated or dead, or is a constant.
    CHECK(num_learned >= 170);
  }

  TEST_CASE("of standard features learn most of targets of any unit") {
    for (std::int64_t seed = 1; seed <= 12; ++seed) {
      const double scale = std::pow(10.0, static_cast<double>(seed % 7) - 3.0);
      const datasets::Dataset data = draw_labels(seed, scale);
      Params params;
      params.layers = {3, 8, 1};
      params.activation = {*Activation::find("tanh")};
      params.seed = seed;

      const Model model = Regressor(params).fit(data).model;
      const Vector errors = model.predict(data.features) - data.labels;

      CAPTURE(seed);
      CAPTURE(scale);
      const double r2 =
          1.0 -
          errors.squaredNorm() /
              (data.labels.array() - data.labels.mean()).matrix().squaredNorm();
      CHECK(r2 > 0.8);
    }
  }
}

}  // namespace mlp
