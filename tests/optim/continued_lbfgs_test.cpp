// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// L-BFGS with LbfgsOptions::continues.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../optim/lbfgs/lbfgs.hpp"
#include "test_objectives.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

/// f(x) = (x - minimum)^2 / 2, of a unit in which the minimum is a large number.
struct FarMinimum {
  double minimum;

  double value_and_gradient(const Vector& x, Vector& gradient) const {
    gradient = x.array() - minimum;
    return 0.5 * gradient.squaredNorm();
  }
};

/// f(x, y) = |x| + 5 |y| + (x^2 + y^2) / 2: kinks, with the minimum 0 at 0.
struct Kinks {
  double value_and_gradient(const Vector& x, Vector& gradient) const {
    const Vector steepness{{1.0, 5.0}};
    const Vector sign = (x.array() >= 0.0).select(Vector::Ones(2), -1.0);
    gradient = x + steepness.cwiseProduct(sign);
    return steepness.dot(x.cwiseAbs()) + 0.5 * x.squaredNorm();
  }
};

template <typename F>
struct Run {
  Vector x;
  Summary summary;
  std::vector<Vector> points;
};

template <typename F>
Run<F> minimize(const F& function, Vector start, bool continues,
                double tol = 0.0) {
  LbfgsOptions options;
  options.tol = tol;
  options.continues = continues;
  Observed<F> objective{function};
  Run<F> run{std::move(start), {}, {}};
  run.summary = minimize_lbfgs(objective, run.x, options);
  run.points = std::move(objective.points);
  return run;
}

}  // namespace

TEST_SUITE("optim/lbfgs continued") {
  TEST_CASE("has the bits of Breeze's path while its searches succeed") {
    const Vector start{{-1.2, 1.0}};

    const auto breeze = minimize(Rosenbrock{}, start, false, 1e-10);
    const auto run = minimize(Rosenbrock{}, start, true, 1e-10);

    CHECK(run.points == breeze.points);
    CHECK(run.x == breeze.x);
    CHECK(run.summary.objective_history == breeze.summary.objective_history);
    CHECK(run.summary.convergence_reason == breeze.summary.convergence_reason);
  }

  TEST_CASE("reaches a minimum of any distance") {
    for (const double minimum : {1e3, 1e6, -1e9}) {
      const FarMinimum far{minimum};
      const Vector start = Vector::Zero(1);

      const auto run = minimize(far, start, true);

      CAPTURE(minimum);
      CHECK(run.x[0] == doctest::Approx(minimum).epsilon(1e-9));
      CHECK(minimize(far, start, false).summary.convergence_reason ==
            ConvergenceReason::kLineSearchFailed);
    }
  }

  // At the start f = 5e11 and |gradient| = 1e6, which is below 1e-5 f.
  TEST_CASE("compares the gradient with the root of a large value") {
    const FarMinimum far{1e6};
    const Vector start = Vector::Zero(1);

    const auto breeze = minimize(far, start, false, 1e-5);
    const auto run = minimize(far, start, true, 1e-5);

    CHECK(breeze.summary.total_iterations() == 0);
    CHECK(breeze.summary.convergence_reason ==
          ConvergenceReason::kGradientConverged);
    CHECK(run.x[0] == doctest::Approx(1e6).epsilon(1e-5));
    CHECK(run.summary.convergence_reason ==
          ConvergenceReason::kGradientConverged);
  }

  // The minimum is 1e-4 |gradient| = 1e-11 away, below Breeze's floor of 1e-10.
  TEST_CASE("takes steps that are short because x is") {
    const Quadratic steep{Vector::Constant(1, 1e4)};
    const Vector start = Vector::Constant(1, 1e-11);

    const auto breeze = minimize(steep, start, false);
    const auto run = minimize(steep, start, true);

    CHECK(breeze.x == start);
    CHECK(breeze.summary.convergence_reason ==
          ConvergenceReason::kLineSearchFailed);
    CHECK(std::abs(run.x[0]) < 1e-12);
    CHECK(run.summary.convergence_reason ==
          ConvergenceReason::kGradientConverged);
  }

  TEST_CASE("gets closer to a minimum on a kink than Breeze does") {
    const Vector start{{3.0, 2.0}};

    const auto breeze = minimize(Kinks{}, start, false);
    const auto run = minimize(Kinks{}, start, true);

    CHECK(run.summary.objective_history.back() < 1e-6);
    CHECK(run.summary.objective_history.back() <
          breeze.summary.objective_history.back());
  }

  TEST_CASE("ends with a failed search where a constant has a slope") {
    Observed<FarMinimum> lying{FarMinimum{1.0},
                               [](double& value, Vector&) { value = 1.0; }};
    LbfgsOptions options;
    options.continues = true;
    Vector x = Vector::Zero(1);

    const Summary summary = minimize_lbfgs(lying, x, options);

    CHECK(x[0] == 0.0);
    CHECK(summary.convergence_reason == ConvergenceReason::kLineSearchFailed);
    CHECK(summary.evaluations < 250);
  }

  TEST_CASE("ends in the same bits wherever it was resumed") {
    LbfgsOptions options;
    options.tol = 0.0;
    options.max_iter = 30;
    options.continues = true;
    std::vector<std::string> states;
    Kinks kinks;
    Vector expected{{3.0, 2.0}};
    const Summary whole =
        minimize_lbfgs(kinks, expected, options, [&](const Iteration& seen) {
          ByteWriter writer;
          seen.solver->save(writer);
          states.push_back(std::move(writer).bytes());
          return true;
        });

    REQUIRE(states.size() > 3);
    for (const std::string& bytes : states) {
      ByteReader state(bytes, "run.state");
      Vector x = Vector::Zero(2);
      const Summary summary = resume_lbfgs(kinks, state, x, options);

      CHECK(x == expected);
      CHECK(summary.objective_history == whole.objective_history);
      CHECK(summary.evaluations == whole.evaluations);
    }
  }
}

}  // namespace mlp::optim
