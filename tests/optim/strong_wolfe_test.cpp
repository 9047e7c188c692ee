// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/strong_wolfe.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace mlp::optim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

/// Value and derivative; the search adds t.
struct Answer {
  double value;
  double derivative;
};

/// A run of the search: what it accepted and where it looked.
struct Run {
  std::optional<double> accepted;
  std::vector<double> trials;
};

using Curve = std::function<Answer(double t)>;

Run search(const Answer& origin, const Curve& curve, double first_step = 1.0) {
  Run run;
  StrongWolfe wolfe({0.0, origin.value, origin.derivative});
  run.accepted = wolfe.search(
      [&](double t) {
        run.trials.push_back(t);
        const Answer answer = curve(t);
        return LinePoint{t, answer.value, answer.derivative};
      },
      first_step);
  return run;
}

/// Answers one after another, whatever t is.
Curve script(std::vector<Answer> answers) {
  return [answers, next = std::size_t{0}](double) mutable {
    return answers.at(next++);
  };
}

/// (t - minimum)^2.
Curve parabola(double minimum) {
  return [minimum](double t) {
    return Answer{(t - minimum) * (t - minimum), 2.0 * (t - minimum)};
  };
}

void check_close(const std::optional<double>& t, double expected) {
  REQUIRE(t.has_value());
  CHECK(std::abs(*t - expected) < kRounding);
}

}  // namespace

TEST_SUITE("optim/strong_wolfe") {
  TEST_CASE("keeps the minimum between low and high if low is beyond high") {
    // The first step rises steeply, so high is the origin. The next one falls
    // steeply, so the minimum is between it and the first.
    const Run run = search({0.0, -10.0},
                           script({{-10.0, 9.5}, {-11.0, -9.5}, {-12.0, 0.0}}));

    REQUIRE(run.trials.size() == 3);
    CHECK(run.trials[1] < run.trials[0]);
    CHECK(run.trials[2] > run.trials[1]);
    CHECK(run.trials[2] < run.trials[0]);
    CHECK(run.accepted == run.trials[2]);
  }

  TEST_CASE("accepts the first step along a constant") {
    const Run run = search({1.0, 0.0}, [](double) { return Answer{1.0, 0.0}; });

    CHECK(run.accepted == 1.0);
    CHECK(run.trials.size() == 1);
  }

  TEST_CASE("accepts the first step where both conditions hold") {
    const Run run = search({1.0, -2.0}, parabola(1.0));

    CHECK(run.accepted == 1.0);
    CHECK(run.trials == std::vector<double>{1.0});
  }

  TEST_CASE("accepts slopes up to 0.9 of the first of either sign") {
    CHECK(search({0.0, -1.0}, script({{-0.5, -0.9}})).accepted == 1.0);
    CHECK(search({0.0, -1.0}, script({{-0.5, 0.9}})).accepted == 1.0);
  }

  TEST_CASE("accepts a value that just meets sufficient decrease") {
    const Answer at_bound{1e-4 * -1.0, 0.0};

    const Run run = search({0.0, -1.0}, script({at_bound}));

    CHECK(run.accepted == 1.0);
  }

  TEST_CASE("refuses a direction that ascends without a trial") {
    const Run run = search({0.0, 1e-300}, parabola(1.0));

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.empty());
  }

  TEST_CASE("does not refuse a slope of 0 or NaN before it has tried") {
    CHECK(search({1.0, 0.0}, script({{0.5, 0.0}})).accepted == 1.0);

    const Run run = search({1.0, std::nan("")}, [](double) {
      return Answer{kInfinity, 0.0};
    });
    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.size() == 10);
  }

  TEST_CASE("halves the step while the value is infinite or NaN") {
    const Run run = search({0.0625, -0.5}, [](double t) {
      if (t > 0.75) return Answer{kInfinity, 1.0};
      if (t > 0.375) return Answer{std::nan(""), 1.0};
      return parabola(0.25)(t);
    });

    CHECK(run.accepted == 0.25);
    CHECK(run.trials == std::vector<double>{1.0, 0.5, 0.25});
  }

  TEST_CASE("gives up after 10 trials without a number") {
    const Run run = search(
        {0.0, -1.0},
        [](double) {
          return Answer{-kInfinity, -1.0};
        },
        512.0);

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.size() == 10);
    CHECK(run.trials.back() == 1.0);
  }

  TEST_CASE("lengthens the step by half while it goes steeply down") {
    const Run run =
        search({0.0, -1.0}, script({{-1.0, -1.0}, {-1.5, -1.0}, {-2.0, -0.5}}));

    CHECK(run.accepted == 2.25);
    CHECK(run.trials == std::vector<double>{1.0, 1.5, 2.25});
  }

  TEST_CASE("gives up after 10 steps on a line without a minimum") {
    const Run run = search({0.0, -1.0}, [](double t) {
      return Answer{-t, -1.0};
    });

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.size() == 10);
    CHECK(run.trials.back() == std::pow(1.5, 9));
  }

  // The cubic through two points of a parabola is the parabola: minimum at 1.
  TEST_CASE("zooms in where the value did not decrease enough") {
    const Run run = search({1.0, -2.0}, parabola(1.0), 3.0);

    check_close(run.accepted, 1.0);
    CHECK(run.trials.size() == 2);
  }

  // Down along -t to t = 1, then the parabola -1 - (t - 1) + 5 (t - 1)^2 with its
  // minimum at 1.1. At 1.5 the value is below the start, but above that at 1.
  TEST_CASE("zooms in where a later trial is worse than the one before") {
    const Run run = search({0.0, -1.0}, [](double t) {
      const double past = t - 1.0;
      if (past <= 0.0) return Answer{-t, -1.0};
      return Answer{-1.0 - past + 5.0 * past * past, -1.0 + 10.0 * past};
    });

    check_close(run.accepted, 1.1);
    CHECK(run.trials.size() == 3);
  }

  // -t + 0.9 t^3 has the slope 1.7 at t = 1 and its minimum at sqrt(1 / 2.7).
  TEST_CASE("zooms back where the slope has turned") {
    const Run run = search({0.0, -1.0}, [](double t) {
      return Answer{-t + 0.9 * t * t * t, -1.0 + 2.7 * t * t};
    });

    check_close(run.accepted, std::sqrt(1.0 / 2.7));
    CHECK(run.trials.size() == 2);
  }

  TEST_CASE("moves the end of the bracket that the trial tells it to") {
    const LinePoint origin{0.0, 0.0, -1.0};
    const LinePoint first{1.0, 1.0, 3.0};
    const double t1 = detail::interpolate(origin, first);
    // Worse than low: becomes high.
    const LinePoint worse{t1, 0.5, 2.0};
    const double t2 = detail::interpolate(origin, worse);
    // Better and still going down: becomes low.
    const LinePoint down{t2, -0.1, -0.95};
    const double t3 = detail::interpolate(down, worse);
    // Better and going up: becomes low, and the old low becomes high.
    const LinePoint up{t3, -0.2, 1.5};
    const double t4 = detail::interpolate(down, up);

    const Run run = search({origin.value, origin.derivative},
                           script({{first.value, first.derivative},
                                   {worse.value, worse.derivative},
                                   {down.value, down.derivative},
                                   {up.value, up.derivative},
                                   {-0.3, 0.0}}));

    CHECK(run.accepted == t4);
    CHECK(run.trials == std::vector<double>{1.0, t1, t2, t3, t4});
  }

  TEST_CASE("gives up after zooming 10 times") {
    // A kink: every trial is worse than low, which stays at 1.
    const Run run = search({0.0, -1.0}, [](double t) {
      if (t <= 1.0) return Answer{-t, -1.0};
      return Answer{-1.0 + 0.5 * (t - 1.0), 0.5};
    });

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.size() == 2 + 10);
  }

  TEST_CASE("fails where the interpolation is no number after one trial") {
    const Run run =
        search({0.0, -1.0}, script({{1.0, std::nan("")}, {0.0, 0.0}}));

    CHECK_FALSE(run.accepted.has_value());
    REQUIRE(run.trials.size() == 2);
    CHECK(std::isnan(run.trials.back()));
  }

  TEST_CASE("lets a value that is no number pass in the zoom as Breeze does") {
    const Run run =
        search({0.0, -1.0}, script({{1.0, 3.0}, {std::nan(""), 0.0}}));

    CHECK(run.accepted.has_value());
    CHECK(run.trials.size() == 2);
  }
}

TEST_SUITE("optim/strong_wolfe interpolation") {
  // t^3 - 3 t^2 / 2 + 0 has its minimum at 1.
  TEST_CASE("finds the minimum of a cubic") {
    const auto at = [](double t) {
      return LinePoint{t, t * t * t - 1.5 * t * t, 3.0 * t * t - 3.0 * t};
    };

    CHECK(std::abs(detail::interpolate(at(0.25), at(1.75)) - 1.0) < kRounding);
  }

  TEST_CASE("keeps to the inner 80 % of the interval") {
    const auto at = [](double t, double minimum) {
      return LinePoint{t, (t - minimum) * (t - minimum), 2.0 * (t - minimum)};
    };

    CHECK(detail::interpolate(at(0.0, 0.01), at(1.0, 0.01)) == 0.1);
    CHECK(detail::interpolate(at(0.0, 0.99), at(1.0, 0.99)) == 0.9);
  }

  // d1 = -1 - 1 - 3 (2/3) / -1 = 0, so that d2 is the root of -1.
  TEST_CASE("is no number where the cubic has no minimum") {
    CHECK(std::isnan(
        detail::interpolate({0.0, 0.0, -1.0}, {1.0, -2.0 / 3.0, -1.0})));
  }
}

}  // namespace mlp::optim
