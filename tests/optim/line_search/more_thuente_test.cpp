// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/line_search/more_thuente.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../core/byte_stream.hpp"
#include "../../../optim/lbfgs/lbfgs.hpp"
#include "../test_objectives.hpp"
#include "searched_curve.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

// SciPy adds in another order; 20 iterations amplify that.
constexpr double kPathTolerance = 1e-6;

LbfgsOptions scipy_options(double gradient_tol, Index max_iter = 1000) {
  LbfgsOptions options;
  options.max_iter = max_iter;
  options.gradient_tol = gradient_tol;
  return options;
}

Vector start() { return Vector{{-1.2, 1.0}}; }

// A few hundred roundings: SciPy adds some terms in another order.
constexpr double kRounding = 1e-13;

Run search(const Curve& curve, double first_step) {
  const Answer origin = curve(0.0);
  return run(MoreThuente({0.0, origin.value, origin.derivative}), curve,
             first_step);
}

/// Moré and Thuente 1994, equation 5.1, with a minimum at sqrt(2).
Answer first_curve(double t) {
  const double bottom = t * t + 2.0;
  return {-t / bottom, (t * t - 2.0) / (bottom * bottom)};
}

Answer parabola(double t) { return {(t - 3.0) * (t - 3.0), 2.0 * (t - 3.0)}; }

/// A narrow valley at 1, and hills on its right.
Answer hills(double t) {
  return {
      -std::sin(3.0 * t) / (1.0 + t * t),
      (-3.0 * std::cos(3.0 * t) * (1.0 + t * t) + 2.0 * t * std::sin(3.0 * t)) /
          ((1.0 + t * t) * (1.0 + t * t))};
}

void check_trials(const Run& run, const std::vector<double>& expected) {
  REQUIRE(run.trials.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(run.trials[i] == doctest::Approx(expected[i]).epsilon(kRounding));
  }
  CHECK(run.accepted == run.trials.back());
}

}  // namespace

// The expected trials are those of scipy.optimize._dcsrch.DCSRCH in SciPy 1.17
// with ftol 1e-3, gtol 0.9, xtol 0.1, stpmin 0 and stpmax 1e10.
TEST_SUITE("optim/line_search/more_thuente") {
  TEST_CASE("looks where SciPy looks along a curve with one minimum") {
    check_trials(search(first_curve, 0.001),
                 {0.001, 0.005, 0.021, 0.085, 0.341});
    check_trials(search(first_curve, 0.1), {0.1, 0.5});
    check_trials(search(first_curve, 10), {10.0});
    check_trials(
        search(first_curve, 1000.0),
        {1000.0, 332.83537094698613, 110.78382764820593, 36.88760696396662});
  }

  TEST_CASE("looks where SciPy looks along a parabola") {
    check_trials(search(parabola, 0.001), {0.001, 0.005, 0.021, 0.085, 0.341});
    check_trials(search(parabola, 1e-06),
                 {1e-06, 4.9999999999999996e-06, 2.1e-05, 8.499999999999999e-05,
                  0.000341, 0.001365, 0.005461, 0.021845, 0.087381, 0.349525});
    check_trials(search(parabola, 50), {50.0, 3.0});
    check_trials(search(parabola, 7), {7.0, 3.0});
  }

  TEST_CASE("looks where SciPy looks along hills") {
    check_trials(search(hills, 0.01), {0.01, 0.05, 0.21000000000000002});
    check_trials(search(hills, 1), {1.0});
    check_trials(search(hills, 2), {2.0, 0.5912063031386835});
    check_trials(search(hills, 5), {5.0});
    check_trials(search(hills, 30), {30.0, 9.98782442905428, 3.3240557047308754,
                                     1.1334449422348856, 0.4263852631053789});
  }

  TEST_CASE("accepts a first trial that satisfies both conditions") {
    const Run run = search(parabola, 1.0);

    CHECK(run.accepted == 1.0);
    CHECK(run.trials.size() == 1);
  }

  TEST_CASE("refuses a direction that does not descend") {
    CHECK_FALSE(search([](double t) { return Answer{t, 1.0}; }, 1.0).accepted);
    CHECK_FALSE(search([](double) { return Answer{0.0, 0.0}; }, 1.0).accepted);
  }

  TEST_CASE("gives up after 20 trials that do not decrease") {
    const auto wall = [](double t) {
      return Answer{t > 0.0 ? 1.0 : 0.0, -1.0};
    };

    const Run run = search(wall, 1.0);

    CHECK(run.trials.size() <= 20);
  }

  TEST_CASE("halves a step whose value is not finite") {
    const auto cliff = [](double t) {
      if (t > 0.3) return Answer{std::numeric_limits<double>::infinity(), 0.0};
      return Answer{-t, t < 0.2 ? -1.0 : 0.0};
    };

    const Run run = search(cliff, 1.0);

    CHECK(run.trials == std::vector<double>{1.0, 0.5, 0.25});
    CHECK(run.accepted == 0.25);
  }
}

TEST_SUITE("optim/lbfgs as SciPy") {
  // The values are those of scipy.optimize.minimize(rosen, [-1.2, 1],
  // method="L-BFGS-B") in SciPy 1.17 after each iteration.
  TEST_CASE("has the path of SciPy's L-BFGS-B") {
    const std::vector<double> expected = {
        24.199999999999996,     4.225209187581896,     4.127275523932904,
        4.120517097042244,      4.115574725748626,     4.087545016268825,
        4.032006831717487,      3.9178414682987954,    3.7759170106180417,
        3.471262006047005,      2.928030306390301,     2.4668434368897314,
        1.9922722703038203,     1.711243150084933,     1.1323166371013627,
        1.0948584835979003,     1.0499006194888543,    0.8957994310505121,
        0.7327864856748777,     0.5541033653044509,    0.3989229609812694,
        0.33241265291105926,    0.26782557601825074,   0.17085486442018114,
        0.1280431013942852,     0.08868661126240414,   0.05213101215891186,
        0.03690722687260151,    0.016578694767958816,  0.007624891699592567,
        0.0034000127896177163,  0.0014772619093437651, 0.000189126641769695,
        1.5919897854388563e-05, 5.189496750595571e-07, 5.298560597067601e-10,
        2.807649849005401e-12};
    Rosenbrock rosenbrock;
    Vector x = start();

    const Summary summary = minimize_lbfgs(rosenbrock, x, scipy_options(1e-5));

    REQUIRE(summary.objective_history.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(summary.objective_history[i] ==
            doctest::Approx(expected[i]).epsilon(kPathTolerance));
    }
  }

  TEST_CASE("stops where no element of the gradient is above gradientTol") {
    // The norm of the gradient is 5, its largest element 4.
    Quadratic bowl{Vector{{1.0, 1.0}}};
    Vector x{{3.0, 4.0}};

    const Summary summary = minimize_lbfgs(bowl, x, scipy_options(4.0));

    CHECK(summary.total_iterations() == 0);
    CHECK(summary.convergence_reason == ConvergenceReason::kGradientConverged);
    Vector same{{3.0, 4.0}};
    CHECK(minimize_lbfgs(bowl, same, scipy_options(3.999)).total_iterations() >
          0);
  }

  TEST_CASE("does not read tol") {
    Rosenbrock rosenbrock;
    LbfgsOptions options = scipy_options(1e-5);
    options.tol = 1e9;
    Vector x = start();

    const Summary summary = minimize_lbfgs(rosenbrock, x, options);

    CHECK(summary.total_iterations() > 20);
    CHECK(std::abs(x[0] - 1.0) < kPathTolerance * 1e3);
  }

  TEST_CASE("resumes to the same bits") {
    Rosenbrock rosenbrock;
    Vector whole = start();
    const Summary expected =
        minimize_lbfgs(rosenbrock, whole, scipy_options(1e-5));
    std::string state;
    Vector x = start();
    minimize_lbfgs(rosenbrock, x, scipy_options(1e-5, 7),
                   [&](const Iteration& iteration) {
                     ByteWriter writer;
                     iteration.solver->save(writer);
                     state = writer.bytes();
                     return true;
                   });

    ByteReader reader(state, "state");
    const Summary resumed =
        resume_lbfgs(rosenbrock, reader, x, scipy_options(1e-5));

    CHECK(x == whole);
    CHECK(resumed.objective_history == expected.objective_history);
    CHECK(resumed.convergence_reason == expected.convergence_reason);
  }
}

}  // namespace mlp::optim
