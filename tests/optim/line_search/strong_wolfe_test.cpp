// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../optim/line_search/strong_wolfe.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "searched_curve.hpp"

namespace mlp::optim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

using namespace testing;

Run search(const Answer& origin, const Curve& curve, double first_step = 1.0,
           bool continues = false) {
  return run(StrongWolfe({0.0, origin.value, origin.derivative}, continues),
             curve, first_step);
}

/// A search that continues where Breeze gives up.
Run search_on(const Answer& origin, const Curve& curve,
              double first_step = 1.0) {
  return search(origin, curve, first_step, true);
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

/// A parabola of a minimum, plus a wave of a frequency.
Curve wave(double minimum, double frequency) {
  return [=](double t) {
    const double u = t / minimum - 1.0;
    const double slope = 2.0 * u + 0.3 * frequency * std::cos(frequency * u);
    return Answer{u * u + 0.3 * std::sin(frequency * u), slope / minimum};
  };
}

/// -t up to a kink at 1, then a slope.
Curve kink(double slope) {
  return [slope](double t) {
    if (t <= 1.0) return Answer{-t, -1.0};
    return Answer{-1.0 + slope * (t - 1.0), slope};
  };
}

// Trials of Breeze, and of a search that continues.
constexpr std::size_t kBreezeTrials = 10;
constexpr std::size_t kMaxTrials = 60;

void check_close(const std::optional<double>& t, double expected) {
  REQUIRE(t.has_value());
  CHECK(std::abs(*t - expected) < kRounding);
}

}  // namespace

TEST_SUITE("optim/line_search/strong_wolfe") {
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

TEST_SUITE("optim/strong_wolfe continued") {
  // Sums of a parabola and a wave, with minima from 1e-6 to 1e6 away.
  TEST_CASE("has the trials of Breeze wherever that search succeeds") {
    int succeeded = 0;
    int failed = 0;
    for (int i = 0; i < 600; ++i) {
      const Curve curve = wave(std::pow(10.0, -6.0 + 0.02 * i), 0.1 * (i % 30));

      const Run breeze = search(curve(0.0), curve);
      const Run run = search_on(curve(0.0), curve);

      CAPTURE(i);
      if (breeze.accepted) {
        CHECK(run.trials == breeze.trials);
        CHECK(run.accepted == breeze.accepted);
      } else if (curve(0.0).derivative < 0.0) {
        CHECK(run.accepted.has_value());
        CHECK(run.trials.size() > breeze.trials.size());
      }
      (breeze.accepted ? succeeded : failed) += 1;
    }
    CHECK(succeeded > 100);
    CHECK(failed > 100);
  }

  TEST_CASE("reaches a minimum that is far beyond the first step") {
    const Run breeze = search({1e24, -2e12}, parabola(1e12));
    const Run run = search_on({1e24, -2e12}, parabola(1e12));

    CHECK_FALSE(breeze.accepted.has_value());
    REQUIRE(run.accepted.has_value());
    CHECK(std::abs(*run.accepted / 1e12 - 1.0) <= 0.9);
    for (std::size_t i = 0; i < kBreezeTrials; ++i) {
      CHECK(run.trials[i] == breeze.trials[i]);
    }
    CHECK(run.trials[kBreezeTrials] == 10.0 * run.trials[kBreezeTrials - 1]);
  }

  TEST_CASE("reaches a minimum that is far below the first step") {
    const Run run = search_on({1e-24, -2e-12}, parabola(1e-12));

    CHECK_FALSE(search({1e-24, -2e-12}, parabola(1e-12)).accepted.has_value());
    check_close(*run.accepted / 1e-12, 1.0);
  }

  TEST_CASE("follows an exponential as far as it must") {
    const Curve decay = [](double t) {
      return Answer{std::exp(-1e-9 * t), -1e-9 * std::exp(-1e-9 * t)};
    };

    const Run run = search_on(decay(0.0), decay);

    CHECK_FALSE(search(decay(0.0), decay).accepted.has_value());
    REQUIRE(run.accepted.has_value());
    CHECK(decay(*run.accepted).derivative >= 0.9 * decay(0.0).derivative);
    CHECK(run.trials.size() < 2 * kBreezeTrials);
  }

  TEST_CASE("leaves a region of values that are not finite") {
    const Curve narrow = [](double t) {
      return t > 1e-9 ? Answer{kInfinity, 1.0} : parabola(5e-10)(t);
    };

    const Run run = search_on(narrow(0.0), narrow);

    CHECK_FALSE(search(narrow(0.0), narrow).accepted.has_value());
    REQUIRE(run.accepted.has_value());
    CHECK(std::abs(*run.accepted / 5e-10 - 1.0) <= 0.9);
  }

  TEST_CASE("approaches a step beyond which values are not finite") {
    const Curve cliff = [](double t) {
      return t > 90.0 ? Answer{kInfinity, 1.0} : Answer{-t, -1.0};
    };

    const Run run = search_on(cliff(0.0), cliff);

    REQUIRE(run.accepted.has_value());
    CHECK(*run.accepted <= 90.0);
    CHECK(*run.accepted > 90.0 - 1e-9);
    CHECK(run.trials.back() == *run.accepted);
  }

  TEST_CASE("bisects where the interpolation is no number") {
    const Run from_origin =
        search_on({0.0, -1.0}, script({{1.0, std::nan("")}, {-0.1, 0.0}}));
    const Run from_low = search_on(
        {0.0, -1.0}, script({{-1.0, -1.0}, {9.0, std::nan("")}, {-1.1, 0.0}}));

    CHECK(from_origin.trials == std::vector<double>{1.0, 0.1});
    CHECK(from_low.trials == std::vector<double>{1.0, 1.5, 1.25});
    CHECK(from_low.accepted == 1.25);
  }

  TEST_CASE("does not accept a value that is no number") {
    const Run run = search_on(
        {0.0, -1.0}, script({{1.0, 3.0}, {std::nan(""), 0.0}, {-0.1, 0.0}}));

    CHECK(run.trials.size() == 3);
    CHECK(run.accepted == run.trials.back());
  }

  // No step has a slope of at most 0.9 of either sign.
  TEST_CASE("ends just beyond a kink, where the weak conditions hold") {
    for (const double slope : {0.95, 5.0, 1000.0}) {
      const Run run = search_on({0.0, -1.0}, kink(slope));

      CAPTURE(slope);
      CHECK_FALSE(search({0.0, -1.0}, kink(slope)).accepted.has_value());
      REQUIRE(run.accepted.has_value());
      CHECK(*run.accepted > 1.0);
      CHECK(kink(slope)(*run.accepted).value < 0.0);
      CHECK(run.trials.size() < 4 * kBreezeTrials);
    }
  }

  TEST_CASE("accepts the lowest step if none satisfies both conditions") {
    const Run line = search_on({0.0, -1.0}, [](double t) {
      return Answer{-t, -1.0};
    });
    const Run step = search_on({0.0, -1.0}, [](double t) {
      return t <= 1.0 ? Answer{-t, -1.0} : Answer{5.0, -1.0};
    });

    CHECK(line.trials.size() == kMaxTrials + 1);
    CHECK(line.accepted == line.trials[kMaxTrials - 1]);
    REQUIRE(step.accepted.has_value());
    CHECK(*step.accepted == doctest::Approx(1.0));
    CHECK(*step.accepted <= 1.0);
    CHECK(step.trials.back() == *step.accepted);
  }

  TEST_CASE("fails after a bounded number of trials") {
    const Run infinite = search_on({0.0, -1.0}, [](double) {
      return Answer{kInfinity, -1.0};
    });
    const Run rising = search_on({0.0, -1.0}, [](double) {
      return Answer{1.0, 1.0};
    });

    CHECK_FALSE(infinite.accepted.has_value());
    CHECK(infinite.trials.size() == kMaxTrials);
    CHECK_FALSE(rising.accepted.has_value());
    CHECK(rising.trials.size() <= 1 + kMaxTrials);
  }

  TEST_CASE("fails at once where the decrease is below the rounding") {
    // Near a minimum: phi(0) = 1e6 can fall by 1e-12.
    const Run run = search_on({1e6, -1e-12}, [](double t) {
      return Answer{1e6 + 1e-9, 1e-12 * (t - 0.5)};
    });

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.size() == 1 + kBreezeTrials);
  }

  TEST_CASE("refuses a slope that is no number without a trial") {
    const Run run = search_on({1.0, std::nan("")}, parabola(1.0));

    CHECK_FALSE(run.accepted.has_value());
    CHECK(run.trials.empty());
  }
}

}  // namespace mlp::optim
