// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/step_schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

namespace mlp::optim {

namespace {

constexpr Index kStepsPerEpoch = 4;
constexpr Index kMaxEpochs = 10;
constexpr double kBase = 0.8;

// A few roundings of numbers below 1.
constexpr double kRounding = 1e-15;

/// Texts that are no schedules.
constexpr const char* kRefused[] = {"",
                                    "Cosine",
                                    "step",
                                    "step:10",
                                    "step:0:0.5",
                                    "step:1.5:0.5",
                                    "step:10:0",
                                    "step:10:1.5",
                                    "step:10:nan",
                                    "power",
                                    "power:1",
                                    "power:-1:2",
                                    "power:1:-2",
                                    "power:nan:1",
                                    "adaptive",
                                    "adaptive:0",
                                    "adaptive:1",
                                    "1/t",
                                    "1/t:",
                                    "1/t:-1",
                                    "cosine:3",
                                    "constant,",
                                    "constant,warmup",
                                    "constant,warmup:",
                                    "constant,warmup:-1",
                                    "constant,warmup:1,warmup:1",
                                    "warmup:1"};

/// The step size at a step of 4 in each of 10 epochs.
double size_at(std::string_view text, Index step) {
  const auto schedule = parse_step_schedule(text);
  REQUIRE(schedule.has_value());
  return schedule->step_size(kBase, step, kStepsPerEpoch, kMaxEpochs);
}

}  // namespace

TEST_SUITE("optim/step_schedule") {
  TEST_CASE("keeps the base where it is constant") {
    CHECK(size_at("constant", 0) == kBase);
    CHECK(size_at("constant", 1000) == kBase);
  }

  TEST_CASE("cuts by the factor after every so many epochs") {
    CHECK(size_at("step:2:0.5", 7) == kBase);
    CHECK(size_at("step:2:0.5", 8) == kBase / 2.0);
    CHECK(size_at("step:2:0.5", 15) == kBase / 2.0);
    CHECK(size_at("step:2:0.5", 16) == kBase / 4.0);
  }

  TEST_CASE("falls along half a wave to 0 at the last epoch") {
    CHECK(size_at("cosine", 0) == kBase);
    CHECK(std::abs(size_at("cosine", 20) - kBase / 2.0) < kRounding);
    // cos(pi / 4) = sqrt(1/2), a quarter of the way.
    CHECK(std::abs(size_at("cosine", 10) -
                   kBase * 0.5 * (1.0 + std::sqrt(0.5))) < kRounding);
    CHECK(size_at("cosine", 40) == 0.0);
    CHECK(size_at("cosine", 70) == 0.0);
  }

  TEST_CASE("divides by a line of the epoch where it is inverse") {
    CHECK(size_at("1/t:0.5", 0) == kBase);
    CHECK(size_at("1/t:0.5", 8) == kBase / 2.0);
    CHECK(size_at("1/t:0.5", 2) == kBase / 1.25);
    CHECK(size_at("1/t:0", 39) == kBase);
  }

  TEST_CASE("divides by a power after each epoch where it is a power") {
    CHECK(size_at("power:0.5:3", 0) == kBase);
    CHECK(size_at("power:0.5:3", 3) == kBase);
    CHECK(size_at("power:0.5:3", 4) == kBase / 2.0);
    CHECK(size_at("power:2:1", 8) == kBase / 9.0);
    CHECK(size_at("power:0:7", 39) == kBase);
  }

  TEST_CASE("leaves an adaptive step size to the losses") {
    CHECK(size_at("adaptive:0.2", 0) == kBase);
    CHECK(size_at("adaptive:0.2", 39) == kBase);
  }

  // Two epochs of 4 steps: the first step has an eighth, the eighth has all.
  TEST_CASE("warms up linearly on top of any shape") {
    CHECK(size_at("constant,warmup:2", 0) == kBase / 8.0);
    CHECK(size_at("constant,warmup:2", 3) == kBase / 2.0);
    CHECK(size_at("constant,warmup:2", 7) == kBase);
    CHECK(size_at("step:1:0.5,warmup:2", 5) == kBase * 0.5 * 0.75);
    CHECK(size_at("constant,warmup:0.5", 0) == kBase / 2.0);
    CHECK(size_at("constant,warmup:0", 0) == kBase);
  }

  TEST_CASE("reads back every text that it formats") {
    for (const char* text :
         {"constant", "cosine", "step:10:0.5", "1/t:0.1", "1/t:0",
          "constant,warmup:2", "step:3:1,warmup:0.25", "cosine,warmup:5",
          "power:0.5:150", "power:0:0", "adaptive:0.2,warmup:1"}) {
      CAPTURE(text);
      CHECK(format_step_schedule(parse_step_schedule(text).value()) == text);
    }
  }

  TEST_CASE("leaves a warm-up of 0 out of its text") {
    CHECK(format_step_schedule(
              parse_step_schedule("cosine,warmup:0").value()) == "cosine");
  }

  TEST_CASE("refuses what is not in the interval that it names") {
    for (const char* text : kRefused) {
      CAPTURE(text);
      CHECK_FALSE(parse_step_schedule(text).has_value());
    }
  }

  TEST_CASE("names its interval") {
    CHECK(kStepScheduleInterval.starts_with("constant, step:EPOCHS:FACTOR"));
  }
}

}  // namespace mlp::optim
