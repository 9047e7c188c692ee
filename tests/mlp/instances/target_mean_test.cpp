// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../../../mlp/training/warm_start.hpp"

namespace mlp {

namespace {

InstanceRange range_of(const Matrix& targets, const Vector& weights = {}) {
  InstanceRange range;
  range.size = targets.cols();
  range.targets = targets.data();
  if (weights.size() > 0) range.weights = weights.data();
  return range;
}

}  // namespace

TEST_SUITE("mlp/instances/target_mean") {
  TEST_CASE("averages each target by itself") {
    const Matrix targets{{1, 2, 6}, {-10, 0, 10}};

    CHECK(mean_targets(range_of(targets), 2) == Vector{{3.0, 0.0}});
  }

  // (1 * 1 + 3 * 6) / 4 and (-10 + 30) / 4.
  TEST_CASE("counts each instance by its weight") {
    const Matrix targets{{1, 2, 6}, {-10, 0, 10}};
    const Vector weights{{1, 0, 3}};

    CHECK(mean_targets(range_of(targets, weights), 2) == Vector{{4.75, 5.0}});
  }

  TEST_CASE("is not finite where there is no mean") {
    constexpr double kLargest = std::numeric_limits<double>::max();
    const Matrix large{{kLargest, kLargest}};
    const Vector zeros = Vector::Zero(2);

    CHECK(std::isinf(mean_targets(range_of(large), 1)[0]));
    CHECK(std::isnan(mean_targets(range_of(Matrix{{1, 2}}, zeros), 1)[0]));
  }
}

}  // namespace mlp
