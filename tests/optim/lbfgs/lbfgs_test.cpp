// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/lbfgs/lbfgs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../test_objectives.hpp"

namespace mlp::optim {

namespace {
using namespace testing;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The gradient at the end is below 1e-8, the curvatures are at least 1.
constexpr double kMinimumTolerance = 1e-6;

Vector point(double x, double y) {
  Vector vector(2);
  vector << x, y;
  return vector;
}

Vector point(double x) { return Vector::Constant(1, x); }

LbfgsOptions options_of(Index max_iter, double tol, Index history_size = 10) {
  LbfgsOptions options;
  options.max_iter = max_iter;
  options.tol = tol;
  options.history_size = history_size;
  return options;
}

/// Near its minimum 1 the values change by less than 0.01 from the start on,
/// while the gradient is larger than that for more than 20 iterations.
Quadratic flat_quadratic() {
  const Vector exponents = Vector::LinSpaced(40, 2.0, 6.0);
  return {exponents.unaryExpr([](double e) { return std::pow(10.0, e); }), 1.0};
}

const Vector kFlatStart = Vector::Constant(40, 1e-5);
constexpr double kFlatTol = 1e-2;

Quadratic steep_quadratic() { return {point(0.6, 40.0), 1.0}; }

/// Ten NaN are one failed search.
constexpr int kOneSearch = 10;

int count_repeats(const std::vector<double>& history) {
  int repeats = 0;
  for (std::size_t i = 1; i < history.size(); ++i) {
    repeats += history[i] == history[i - 1] ? 1 : 0;
  }
  return repeats;
}

}  // namespace

TEST_SUITE("optim/lbfgs/lbfgs") {
  TEST_CASE("finds the minimum of Rosenbrock's function") {
    Rosenbrock rosenbrock;
    Vector x = point(-1.2, 1.0);

    const Summary summary =
        minimize_lbfgs(rosenbrock, x, options_of(200, 1e-10));

    CHECK((x - point(1.0, 1.0)).norm() < kMinimumTolerance);
    CHECK(summary.convergence_reason == ConvergenceReason::kGradientConverged);
    CHECK(summary.objective_history.front() == doctest::Approx(24.2));
    CHECK(summary.total_iterations() < 60);
  }

  TEST_CASE("finds the minimum of quadratics of many sizes") {
    for (const Index size : {1, 2, 7, 40}) {
      Quadratic quadratic{Vector::LinSpaced(size, 1.0, 100.0)};
      Vector x = Vector::LinSpaced(size, -3.0, 5.0);

      const Summary summary =
          minimize_lbfgs(quadratic, x, options_of(300, 0.0));

      CAPTURE(size);
      CHECK(x.norm() < kMinimumTolerance);
      CHECK(summary.convergence_reason ==
            ConvergenceReason::kGradientConverged);
      CHECK(count_repeats(summary.objective_history) == 0);
    }
  }

  TEST_CASE("never lets the objective rise") {
    Rosenbrock rosenbrock;
    Vector x = point(-1.2, 1.0);

    const auto history =
        minimize_lbfgs(rosenbrock, x, options_of(100, 0.0)).objective_history;

    CHECK(std::is_sorted(history.rbegin(), history.rend()));
  }

  TEST_CASE("counts every evaluation and tells the callback each state") {
    Observed<Rosenbrock> rosenbrock{Rosenbrock{}};
    Vector x = point(-1.2, 1.0);
    Seen seen;

    const Summary summary =
        minimize_lbfgs(rosenbrock, x, options_of(15, 0.0), seen.watch());

    CHECK(summary.evaluations == static_cast<Index>(rosenbrock.points.size()));
    REQUIRE(seen.iterations.size() == 16);
    CHECK(seen.points.back() == x);
    for (std::size_t i = 0; i < 16; ++i) {
      const Iteration& state = seen.iterations[i];
      CHECK(state.iteration == static_cast<Index>(i));
      CHECK(state.objective == summary.objective_history[i]);
      CHECK(state.evaluations >= state.iteration + 1);
      CHECK((state.step_length == 0.0) == (i == 0));
    }
    CHECK(seen.iterations.back().evaluations == summary.evaluations);
  }

  TEST_CASE("goes the length 1 at first and the whole direction later") {
    Observed<Quadratic> quadratic{steep_quadratic()};
    Vector x = point(3.0, -2.0);
    Seen seen;

    // Without a history every direction is the negative gradient.
    minimize_lbfgs(quadratic, x, options_of(2, 0.0, 0), seen.watch());

    const Vector direction = -quadratic.gradients[0];
    const Vector first =
        direction * (1.0 / direction.norm()) + point(3.0, -2.0);
    CHECK(quadratic.points[1] == first);
    REQUIRE(seen.points.size() == 3);
    const auto at = static_cast<std::size_t>(seen.iterations[1].evaluations);
    const Vector second = -quadratic.gradients[at - 1] + seen.points[1];
    CHECK(quadratic.points[at] == second);
  }

  TEST_CASE("descends along the gradient where the history size is 0") {
    Observed<Quadratic> quadratic{steep_quadratic()};
    Vector x = point(3.0, -2.0);
    Seen seen;

    minimize_lbfgs(quadratic, x, options_of(10, 0.0, 0), seen.watch());

    REQUIRE(seen.points.size() == 11);
    Vector gradient;
    for (std::size_t i = 1; i < seen.points.size(); ++i) {
      steep_quadratic().value_and_gradient(seen.points[i - 1], gradient);
      const Vector direction = -gradient;
      const Vector expected =
          direction * seen.iterations[i].step_length + seen.points[i - 1];
      CHECK(seen.points[i] == expected);
    }
  }

  TEST_CASE("needs fewer iterations with a longer history") {
    const auto count = [](Index history_size) {
      Quadratic quadratic{Vector::LinSpaced(20, 1.0, 200.0)};
      Vector x = Vector::Ones(20);
      return minimize_lbfgs(quadratic, x, options_of(500, 0.0, history_size))
          .total_iterations();
    };

    CHECK(count(10) < count(0));
  }
}  // TEST_SUITE("optim/lbfgs/lbfgs")

TEST_SUITE("optim/lbfgs stop tests") {
  TEST_CASE("returns x untouched where max_iter is 0 even at the minimum") {
    for (const Vector& start : {point(3.0, -2.0), point(0.0, 0.0)}) {
      Quadratic quadratic = steep_quadratic();
      Vector x = start;

      const Summary summary = minimize_lbfgs(quadratic, x, options_of(0, 1.0));

      CHECK(x == start);
      CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
      CHECK(summary.objective_history.size() == 1);
      CHECK(summary.evaluations == 1);
      CHECK(summary.total_iterations() == 0);
    }
  }

  TEST_CASE("stops with reason MaxIter after so many accepted steps") {
    Rosenbrock rosenbrock;
    Vector x = point(-1.2, 1.0);

    const Summary summary = minimize_lbfgs(rosenbrock, x, options_of(7, 0.0));

    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(summary.total_iterations() == 7);
  }

  // At x = 1: gradient 1, value 2, and 1 <= 0.5 * 2 holds just so.
  TEST_CASE("stops at the start where the gradient is small for the value") {
    Quadratic quadratic{point(1.0), 1.5};
    Vector x = point(1.0);
    Vector above = point(1.0 + 1e-9);

    const Summary summary = minimize_lbfgs(quadratic, x, options_of(100, 0.5));
    const Summary goes_on =
        minimize_lbfgs(quadratic, above, options_of(100, 0.5));

    CHECK(x[0] == 1.0);
    CHECK(summary.convergence_reason == ConvergenceReason::kGradientConverged);
    CHECK(summary.objective_history == std::vector<double>{2.0});
    CHECK(summary.evaluations == 1);
    CHECK(goes_on.total_iterations() == 1);
  }

  TEST_CASE("takes a gradient of 1e-8 for 0 whatever tol is") {
    Quadratic quadratic{point(1.0), 0.0};
    Vector at_floor = point(1e-8);
    Vector above = point(1.1e-8);

    const Summary stopped =
        minimize_lbfgs(quadratic, at_floor, options_of(100, 0.0));
    const Summary goes_on =
        minimize_lbfgs(quadratic, above, options_of(100, 0.0));

    CHECK(stopped.convergence_reason == ConvergenceReason::kGradientConverged);
    CHECK(stopped.evaluations == 1);
    CHECK(goes_on.evaluations > 1);
  }

  TEST_CASE("stops with reason FunctionValues no sooner than iteration 20") {
    Quadratic quadratic = flat_quadratic();
    Vector x = kFlatStart;

    const Summary summary =
        minimize_lbfgs(quadratic, x, options_of(100, kFlatTol));

    CHECK(summary.convergence_reason ==
          ConvergenceReason::kFunctionValuesConverged);
    CHECK(summary.total_iterations() == 20);
  }

  TEST_CASE("tests max_iter before the values and these before the gradient") {
    for (const Index max_iter : {20, 21}) {
      bool is_gradient_gone = false;
      Observed<Quadratic> quadratic{flat_quadratic(),
                                    [&](double&, Vector& gradient) {
                                      if (is_gradient_gone) gradient.setZero();
                                    }};
      Vector x = kFlatStart;

      // At iteration 20 all tests hold, or all but that of max_iter.
      const Summary summary =
          minimize_lbfgs(quadratic, x, options_of(max_iter, kFlatTol),
                         [&](const Iteration& state) {
                           is_gradient_gone = state.iteration == 19;
                           return true;
                         });

      CHECK(quadratic.gradients.back().norm() == 0.0);
      CHECK(summary.total_iterations() == 20);
      CHECK(summary.convergence_reason ==
            (max_iter == 20 ? ConvergenceReason::kMaxIter
                            : ConvergenceReason::kFunctionValuesConverged));
    }
  }
}  // TEST_SUITE("optim/lbfgs stop tests")

TEST_SUITE("optim/lbfgs failed searches") {
  TEST_CASE("stops with reason LineSearchFailed where there is no minimum") {
    Observed<Line> line{Line{}};
    Vector x = point(5.0);

    const Summary summary = minimize_lbfgs(line, x, options_of(100, 1e-6));

    CHECK(summary.convergence_reason == ConvergenceReason::kLineSearchFailed);
    CHECK(summary.objective_history == std::vector<double>{-5.0, -5.0, -5.0});
    CHECK(x[0] == 5.0);
    // The start, ten trials, the start again, ten trials.
    CHECK(summary.evaluations == 22);
    CHECK(line.points[11] == point(5.0));
  }

  TEST_CASE("repeats the last entry twice where a later search fails") {
    Outage outage;
    Observed<Quadratic> quadratic{steep_quadratic(), std::ref(outage)};
    Vector x = point(3.0, -2.0);
    Seen seen;

    const auto callback = [&](const Iteration& state) {
      if (state.iteration == 3) outage = {0, kOneSearch};
      // Before it searches again it evaluates x again.
      if (state.iteration == 4) outage = {1, kOneSearch};
      return seen.watch()(state);
    };
    const Summary summary =
        minimize_lbfgs(quadratic, x, options_of(100, 0.0), callback);

    const auto& history = summary.objective_history;
    REQUIRE(history.size() == 6);
    CHECK(summary.convergence_reason == ConvergenceReason::kLineSearchFailed);
    CHECK(history[4] == history[3]);
    CHECK(history[5] == history[3]);
    CHECK(x == seen.points[3]);
  }

  TEST_CASE("goes the length 1 again after a failed first search") {
    Observed<Quadratic> f{steep_quadratic(), Outage{1, 2 * kOneSearch}};
    Vector x = point(3.0, -2.0);
    static_cast<void>(minimize_lbfgs(f, x, options_of(100, 0.0)));
    for (const Vector& at : f.points) CHECK((at - x).norm() < 1.01);
  }

  TEST_CASE("repeats one entry and restarts at step 1 after one failure") {
    Outage outage;
    Observed<Quadratic> quadratic{steep_quadratic(), std::ref(outage)};
    Vector x = point(3.0, -2.0);
    Seen seen;

    const auto callback = [&](const Iteration& state) {
      if (state.iteration == 3) outage = {0, kOneSearch};
      return seen.watch()(state);
    };
    const Summary summary =
        minimize_lbfgs(quadratic, x, options_of(100, 0.0), callback);

    CHECK(summary.convergence_reason == ConvergenceReason::kGradientConverged);
    CHECK(count_repeats(summary.objective_history) == 1);
    CHECK(summary.objective_history[4] == summary.objective_history[3]);
    CHECK(seen.points[4] == seen.points[3]);
    CHECK(seen.iterations[4].step_length == 0.0);
    const auto at = static_cast<std::size_t>(seen.iterations[4].evaluations);
    CHECK(quadratic.points[at] == seen.points[4]);
    const Vector restart = -quadratic.gradients[at] + seen.points[4];
    CHECK(quadratic.points[at + 1] == restart);
  }

  TEST_CASE("forgives one failure after each success") {
    Outage outage;
    Observed<Rosenbrock> rosenbrock{Rosenbrock{}, std::ref(outage)};
    Vector x = point(-1.2, 1.0);

    const Summary summary = minimize_lbfgs(
        rosenbrock, x, options_of(300, 0.0), [&](const Iteration& state) {
          const bool fails = state.iteration == 3 || state.iteration == 6;
          if (fails) outage = {0, kOneSearch};
          return true;
        });

    CHECK(count_repeats(summary.objective_history) == 2);
    CHECK((x - point(1.0, 1.0)).norm() < kMinimumTolerance);
  }

  TEST_CASE("lets total_iterations exceed max_iter by the repeated entry") {
    Outage outage;
    Observed<Rosenbrock> rosenbrock{Rosenbrock{}, std::ref(outage)};
    Vector x = point(-1.2, 1.0);

    const Summary summary = minimize_lbfgs(rosenbrock, x, options_of(5, 0.0),
                                           [&](const Iteration& state) {
                                             if (state.iteration == 3)
                                               outage = {0, kOneSearch};
                                             return true;
                                           });

    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(summary.total_iterations() == 6);
  }

  TEST_CASE("keeps x and records NaN three times where all values are NaN") {
    Observed<Quadratic> quadratic{steep_quadratic(),
                                  [](double& value, Vector&) { value = kNaN; }};
    Vector x = point(3.0, -2.0);

    const Summary summary = minimize_lbfgs(quadratic, x, options_of(100, 1e-6));

    CHECK(x == point(3.0, -2.0));
    CHECK(summary.convergence_reason == ConvergenceReason::kLineSearchFailed);
    CHECK(summary.evaluations == 22);
    REQUIRE(summary.objective_history.size() == 3);
    for (const double value : summary.objective_history) {
      CHECK(std::isnan(value));
    }
  }

  TEST_CASE("keeps x where the gradient is NaN too") {
    Observed<Quadratic> quadratic{steep_quadratic(),
                                  [](double& value, Vector& gradient) {
                                    value = kNaN;
                                    gradient.setConstant(kNaN);
                                  }};
    Vector x = point(3.0, -2.0);

    const Summary summary = minimize_lbfgs(quadratic, x, options_of(100, 1e-6));

    CHECK(x == point(3.0, -2.0));
    CHECK(summary.objective_history.size() == 3);
    CHECK(summary.evaluations == 22);
  }

  // From 1 + x the first step leads to x. There the tenth trial moves by 2^-9 x:
  // by 4e-11 for x = 2e-8, which is too little, and by 4e-9 for x = 2e-6.
  TEST_CASE("takes an accepted step below 1e-10 for a failed search") {
    const auto history_from = [](double start) {
      int trial = -1;
      Observed<Quadratic> quadratic{Quadratic{point(1.0)},
                                    [&](double& value, Vector& gradient) {
                                      if (trial < 0) return;
                                      if (++trial < 10) value = kNaN;
                                      if (trial == 10) gradient.setZero();
                                    }};
      Vector x = point(start);
      const auto watch = [&](const Iteration& state) {
        trial = state.iteration == 1 ? 0 : -1;
        return state.iteration < 2;
      };
      return minimize_lbfgs(quadratic, x, options_of(9, 0.0), watch)
          .objective_history;
    };

    const std::vector<double> too_short = history_from(1.0 + 2e-8);
    const std::vector<double> long_enough = history_from(1.0 + 2e-6);

    REQUIRE(too_short.size() == 3);
    CHECK(too_short[2] == too_short[1]);
    REQUIRE(long_enough.size() == 3);
    CHECK(long_enough[2] < long_enough[1]);
  }
}  // TEST_SUITE("optim/lbfgs failed searches")

TEST_SUITE("optim/lbfgs interruption") {
  TEST_CASE("stops where the callback says so and returns what it saw") {
    Rosenbrock rosenbrock;
    Vector x = point(-1.2, 1.0);
    Vector last;

    const Summary summary = minimize_lbfgs(rosenbrock, x, options_of(100, 0.0),
                                           [&](const Iteration& state) {
                                             last = state.x;
                                             return state.iteration < 4;
                                           });

    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
    CHECK(summary.total_iterations() == 4);
    CHECK(x == last);
  }

  TEST_CASE("keeps its own reason where it stops anyway") {
    Rosenbrock rosenbrock;
    Vector x = point(-1.2, 1.0);

    const Summary summary = minimize_lbfgs(
        rosenbrock, x, options_of(4, 0.0),
        [](const Iteration& state) { return state.iteration < 4; });

    CHECK(summary.convergence_reason == ConvergenceReason::kMaxIter);
  }

  TEST_CASE("returns the last accepted x whichever evaluation is interrupted") {
    for (int interrupted = 2; interrupted < 30; ++interrupted) {
      int evaluation = 0;
      Observed<Rosenbrock> rosenbrock{Rosenbrock{}, [&](double&, Vector&) {
                                        if (++evaluation == interrupted)
                                          throw Interrupted();
                                      }};
      Vector x = point(-1.2, 1.0);
      Seen seen;

      const Summary summary =
          minimize_lbfgs(rosenbrock, x, options_of(100, 0.0), seen.watch());

      CAPTURE(interrupted);
      CHECK(summary.convergence_reason ==
            ConvergenceReason::kStoppedByCallback);
      CHECK(x == seen.points.back());
      CHECK(summary.objective_history.size() == seen.points.size());
    }
  }

  TEST_CASE("returns the start where the first evaluation is interrupted") {
    Observed<Line> line{Line{}, [](double&, Vector&) { throw Interrupted(); }};
    Vector x = point(5.0);

    const Summary summary = minimize_lbfgs(line, x, options_of(100, 0.0));

    CHECK(x[0] == 5.0);
    CHECK(summary.objective_history.empty());
    CHECK(summary.total_iterations() == 0);
    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
  }
}  // TEST_SUITE("optim/lbfgs interruption")

}  // namespace mlp::optim
