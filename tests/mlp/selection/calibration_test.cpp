// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/calibration.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp {

TEST_SUITE("mlp/selection/calibration") {
  TEST_CASE("is the mean distance of accuracy and probability in the bins") {
    // Two bins: 0.9 with one of two right, and 0.6 with both right.
    const Matrix probability{{0.9, 0.9, 0.6, 0.4}, {0.1, 0.1, 0.4, 0.6}};
    const Vector labels{{0, 1, 0, 1}};

    const double error = expected_calibration_error(probability, labels);

    CHECK(std::abs(error - (0.5 * 0.4 + 0.5 * 0.4)) < 1e-12);
  }

  TEST_CASE("is 0 for certain and right predictions") {
    const Matrix probability{{1.0, 0.0}, {0.0, 1.0}};
    CHECK(expected_calibration_error(probability, Vector{{0, 1}}) == 0.0);
  }
}

}  // namespace mlp
