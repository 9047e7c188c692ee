// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/plateau.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace mlp::optim {

namespace {

constexpr StepSchedule kConstant;
constexpr StepSchedule kHalved{StepSchedule::Shape::kAdaptive, 1, 0.5, 0.0};

/// Counts the losses that are recorded until the training should end.
int count_epochs(Plateau plateau, const std::vector<double>& losses) {
  int count = 0;
  for (const double loss : losses) {
    ++count;
    if (!plateau.record(loss)) return count;
  }
  return 0;
}

}  // namespace

TEST_SUITE("optim/plateau") {
  TEST_CASE("ends after so many epochs in a row that stall") {
    CHECK(count_epochs({kConstant, 2, 0.0, 1.0}, {5, 5, 4, 4, 3, 4, 4}) == 7);
    CHECK(count_epochs({kConstant, 3, 0.0, 1.0}, {5, 6, 7, 4, 4}) == 0);
    CHECK(count_epochs({kConstant, 1, 0.0, 1.0}, {5, 4, 4.5}) == 3);
  }

  TEST_CASE("compares with the lowest loss less tol") {
    CHECK(count_epochs({kConstant, 2, 0.5, 1.0}, {5, 4.75, 4.5}) == 3);
    CHECK(count_epochs({kConstant, 2, 0.5, 1.0}, {5, 4.5, 4}) == 0);
    CHECK(count_epochs({kConstant, 1, 0.0, 1.0}, {5, 5, 5}) == 0);
  }

  TEST_CASE("never ends where it is off") {
    CHECK(count_epochs({kConstant, 0, 0.0, 1.0}, {1, 2, 3, 4, 5}) == 0);
  }

  TEST_CASE("takes NaN as a loss that does not fall") {
    const double nan = std::numeric_limits<double>::quiet_NaN();

    CHECK(count_epochs({kConstant, 2, 0.0, 1.0}, {5, nan, nan}) == 3);
    CHECK(count_epochs({kConstant, 2, 0.0, 1.0}, {nan, 4, 5, 3}) == 0);
  }

  TEST_CASE("shortens the steps instead of ending where they are adaptive") {
    Plateau plateau(kHalved, 2, 0.0, 1.0);
    std::vector<double> scales;

    for (const double loss : {5, 6, 6, 6, 6, 4}) {
      CHECK(plateau.record(loss));
      scales.push_back(plateau.scale());
    }

    CHECK(scales == std::vector<double>{1, 1, 0.5, 0.5, 0.25, 0.25});
  }

  TEST_CASE("ends where adaptive steps are too short to be shortened") {
    Plateau plateau(kHalved, 1, 0.0, 2.0 * StepSchedule::kSmallestStep);

    CHECK(plateau.record(5));
    CHECK(plateau.record(6));
    CHECK(plateau.scale() == 0.5);
    CHECK_FALSE(plateau.record(6));
  }
}

}  // namespace mlp::optim
