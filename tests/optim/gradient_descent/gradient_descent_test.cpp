// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/gradient_descent/gradient_descent.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../test_objectives.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

Vector point(double x) { return Vector::Constant(1, x); }

GradientDescentOptions options_of(Index max_iter, double tol,
                                  double step_size) {
  GradientDescentOptions options;
  options.max_iter = max_iter;
  options.tol = tol;
  options.step_size = step_size;
  return options;
}

/// x^2 / 2: with the step size 0.5 each update halves x, exactly.
Quadratic halving() { return {point(1.0), 0.0}; }

/// How halving() was minimised, and where it ended.
struct Halved {
  Summary summary;
  double x = 0.0;
};

Halved halve(double start, const GradientDescentOptions& options,
             const IterationCallback& callback = {}) {
  Quadratic quadratic = halving();
  Vector x = point(start);
  const Summary summary =
      minimize_gradient_descent(quadratic, x, options, callback);
  return {summary, x[0]};
}

}  // namespace

TEST_SUITE("optim/gradient_descent/gradient_descent") {
  TEST_CASE("goes the same multiple of the gradient in every update") {
    Observed<Quadratic> quadratic{halving()};
    Vector x = point(64.0);

    minimize_gradient_descent(quadratic, x, options_of(5, 0.0, 0.5));

    REQUIRE(quadratic.points.size() == 6);
    double expected = 64.0;
    for (const Vector& visited : quadratic.points) {
      CHECK(visited[0] == expected);
      expected /= 2.0;
    }
    CHECK(x[0] == 2.0);
  }

  TEST_CASE("records the objective before each update and after the last") {
    const auto [summary, x] = halve(8.0, options_of(3, 0.0, 0.5));

    CHECK(summary.objective_history ==
          std::vector<double>{32.0, 8.0, 2.0, 0.5});
    CHECK(summary.total_iterations() == 3);
    CHECK(summary.evaluations == 4);
    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(x == 1.0);
  }

  TEST_CASE("only evaluates the start where max_iter is 0") {
    const auto [summary, x] = halve(8.0, options_of(0, 1.0, 0.5));

    CHECK(x == 8.0);
    CHECK(summary.objective_history == std::vector<double>{32.0});
    CHECK(summary.evaluations == 1);
    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
  }

  // The updates move by 1/2, 1/4, 1/8, 1/16 < 0.1.
  TEST_CASE("has as many entries as updates where the weights converge") {
    const auto [summary, x] = halve(1.0, options_of(100, 0.1, 0.5));

    CHECK(summary.convergence_reason == ConvergenceReason::kWeightsConverged);
    CHECK(summary.objective_history ==
          std::vector<double>{0.5, 0.125, 0.03125, 0.0078125});
    CHECK(summary.total_iterations() == 3);
    CHECK(x == 0.0625);
  }

  TEST_CASE("goes on where an update moves by tol exactly") {
    const auto [summary, x] = halve(1.0, options_of(100, 0.125, 0.5));

    CHECK(x == 0.0625);
    CHECK(summary.objective_history.size() == 4);
  }

  TEST_CASE("does not test the weights after the first update") {
    const auto [summary, x] = halve(1e-3, options_of(100, 0.1, 0.5));

    CHECK(summary.objective_history.size() == 2);
    CHECK(x == 1e-3 / 4.0);
    CHECK(summary.convergence_reason == ConvergenceReason::kWeightsConverged);
  }

  // Each update moves by 1/2, which is small for 1,000 and large for 10.
  TEST_CASE("measures the movement relative to the norm of the weights") {
    Line line{-1.0};
    Vector far = point(1000.0);
    Vector near = point(10.0);

    const Summary stopped =
        minimize_gradient_descent(line, far, options_of(9, 0.001, 0.5));
    const Summary goes_on =
        minimize_gradient_descent(line, near, options_of(9, 0.001, 0.5));

    CHECK(far[0] == 1001.0);
    CHECK(stopped.convergence_reason == ConvergenceReason::kWeightsConverged);
    CHECK(near[0] == 14.5);
    CHECK(goes_on.convergence_reason == ConvergenceReason::kMaxIter);
  }

  TEST_CASE("never takes weights for converged where tol is 0") {
    const auto [summary, x] = halve(0.0, options_of(20, 0.0, 0.5));

    CHECK(summary.total_iterations() == 20);
    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
  }

  TEST_CASE("runs to the end where the objective is NaN") {
    Observed<Quadratic> quadratic{
        halving(), [](double& value, Vector& gradient) {
          value = std::numeric_limits<double>::quiet_NaN();
          gradient.setConstant(value);
        }};
    Vector x = point(1.0);

    const Summary summary =
        minimize_gradient_descent(quadratic, x, options_of(6, 0.5, 0.5));

    CHECK(summary.objective_history.size() == 7);
    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(std::isnan(x[0]));
  }

  TEST_CASE("tells the callback each entry with the step size") {
    Quadratic quadratic = halving();
    Vector x = point(8.0);
    std::vector<Iteration> seen;
    std::vector<double> points;

    minimize_gradient_descent(quadratic, x, options_of(2, 0.0, 0.5),
                              [&](const Iteration& state) {
                                seen.push_back(state);
                                points.push_back(state.x[0]);
                                return true;
                              });

    REQUIRE(seen.size() == 3);
    CHECK(points == std::vector<double>{8.0, 4.0, 2.0});
    CHECK(seen[0].step_length == 0.0);
    CHECK(seen[2].step_length == 0.5);
    CHECK(seen[2].iteration == 2);
    CHECK(seen[2].evaluations == 3);
    CHECK(seen[2].objective == 2.0);
  }

  TEST_CASE("stops where the callback says so and returns what it saw") {
    const auto [summary, x] =
        halve(8.0, options_of(50, 0.0, 0.5),
              [](const Iteration& state) { return state.iteration < 2; });

    CHECK(x == 2.0);
    CHECK(summary.total_iterations() == 2);
    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
  }

  TEST_CASE("keeps its own reason where it stops anyway") {
    const auto [summary, x] =
        halve(8.0, options_of(2, 0.0, 0.5),
              [](const Iteration& state) { return state.iteration < 2; });

    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
  }

  TEST_CASE("returns the last updated x where an evaluation is interrupted") {
    int evaluation = 0;
    Observed<Quadratic> quadratic{halving(), [&](double&, Vector&) {
                                    if (++evaluation == 3) throw Interrupted();
                                  }};
    Vector x = point(8.0);

    const Summary summary =
        minimize_gradient_descent(quadratic, x, options_of(50, 0.0, 0.5));

    CHECK(x[0] == 2.0);
    CHECK(summary.objective_history == std::vector<double>{32.0, 8.0});
    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
  }
}  // TEST_SUITE("optim/gradient_descent/gradient_descent")

}  // namespace mlp::optim
