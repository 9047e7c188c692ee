// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/result/diverged_error.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mlp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A training of a network with six weights.
FitResult fit_of(std::vector<double> history, const Vector& weights) {
  FitResult fit{Model(Topology({1, 3}), weights), {}};
  fit.summary.objective_history = std::move(history);
  return fit;
}

Params params_of(Solver solver) {
  Params params;
  params.solver = solver;
  return params;
}

}  // namespace

TEST_SUITE("mlp/result/diverged_error") {
  TEST_CASE("asks for a finite last objective and finite weights") {
    CHECK_FALSE(has_diverged(fit_of({2.0, 1.0}, Vector::Zero(6))));
    CHECK_FALSE(has_diverged(fit_of({kNaN, 1.0}, Vector::Zero(6))));
    CHECK(has_diverged(fit_of({2.0, kNaN}, Vector::Zero(6))));
    CHECK(has_diverged(fit_of({2.0, 1.0}, Vector::Constant(6, kInfinity))));
  }

  TEST_CASE("names the first iteration that is not finite") {
    const FitResult fit = fit_of({2.0, 0.5, kInfinity, kNaN}, Vector::Zero(6));

    CHECK(
        describe_divergence(fit, params_of(Solver::kSgd), false) ==
        "the objective must stay finite; it is Infinity at iteration 2 and "
        "was 0.5 before; try standardised features, a stepSize below 0.001 or "
        "clipNorm 1");
  }

  TEST_CASE("counts the weights that are NaN and infinite") {
    const Vector weights{{kNaN, kNaN, 0.0, 0.0, -kInfinity, 0.0}};

    CHECK(
        describe_divergence(fit_of({kNaN}, weights), params_of(Solver::kLbfgs),
                            false) ==
        "the objective must stay finite; it is NaN at iteration 0, with 2 NaN "
        "and 1 infinite weights of 6; try standardised features or solver "
        "adam");
  }

  TEST_CASE("describes weights that are lost after a finite objective") {
    const FitResult fit =
        fit_of({2.0, 1.0}, Vector{{kInfinity, 0.0, 0.0, 0.0, 0.0, 0.0}});

    CHECK(
        describe_divergence(fit, params_of(Solver::kLbfgs), true) ==
        "the weights must stay finite; the network has 1 infinite weight of 6 "
        "after iteration 1; try solver adam");
  }

  // The size of the steps did not lose it.
  TEST_CASE("names no step size where the first objective is not finite") {
    const FitResult fit = fit_of({kNaN}, Vector::Zero(6));

    CHECK(describe_divergence(fit, params_of(Solver::kAdam), false) ==
          "the objective must stay finite; it is NaN at iteration 0; try "
          "standardised features");
    CHECK(describe_divergence(fit, params_of(Solver::kAdam), true) ==
          "the objective must stay finite; it is NaN at iteration 0; try "
          "another init or seed");
  }

  TEST_CASE("advises a regressor to change the unit of its labels") {
    FitResult fit{Model(Topology({1, 1}, Loss::kSquaredError), Vector::Zero(2)),
                  {}};
    fit.summary.objective_history = {kInfinity};

    CHECK(describe_divergence(fit, params_of(Solver::kSgd), true) ==
          "the objective must stay finite; it is Infinity at iteration 0; try "
          "labels in a larger unit");
  }

  TEST_CASE("carries the result, also with other texts around its sentence") {
    const DivergedError error("x", fit_of({2.0, kNaN}, Vector::Ones(6)));

    const DivergedError longer = error.with_context("a: ", "; b");

    CHECK(std::string(longer.what()) == "a: x; b");
    CHECK(longer.result().summary.objective_history.front() == 2.0);
    CHECK(longer.result().model.weights() == Vector::Ones(6));
  }

  TEST_CASE("names nothing that is in use") {
    Params params = params_of(Solver::kAdam);
    params.step_size = 7.0;
    params.clip_norm = 2.0;
    Params started = params_of(Solver::kLbfgs);
    started.initial_weights = Vector::Zero(6);
    const FitResult fit = fit_of({2.0, kNaN}, Vector::Zero(6));

    CHECK(describe_divergence(fit, params, true) ==
          "the objective must stay finite; it is NaN at iteration 1 and was 2 "
          "before; try a stepSize below 7");
    CHECK(describe_divergence(fit, started, true) ==
          "the objective must stay finite; it is NaN at iteration 1 and was 2 "
          "before; try smaller initialWeights or solver adam");
  }
}

}  // namespace mlp
