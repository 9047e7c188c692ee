// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/more_thuente.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace mlp::optim {

namespace {

// A few hundred roundings: SciPy adds some terms in another order.
constexpr double kRounding = 1e-13;

struct Answer {
  double value;
  double derivative;
};

using Curve = std::function<Answer(double t)>;

/// A run of the search: what it accepted and where it looked.
struct Run {
  std::optional<double> accepted;
  std::vector<double> trials;
};

Run search(const Curve& curve, double first_step) {
  Run run;
  const Answer origin = curve(0.0);
  MoreThuente search({0.0, origin.value, origin.derivative});
  run.accepted = search.search(
      [&](double t) {
        run.trials.push_back(t);
        const Answer answer = curve(t);
        return LinePoint{t, answer.value, answer.derivative};
      },
      first_step);
  return run;
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
TEST_SUITE("optim/more_thuente") {
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

}  // namespace mlp::optim
