// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/lbfgs_gram.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "../shuffled_orders.hpp"
#include "lbfgs_probe.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

// Products of the corrections, whose errors the recursion amplifies by the
// condition.
constexpr double kRounding = 1e-12;

/// Compares a direction of the device with that of the host.
void check_direction(const Corrections& corrections, Index history_size) {
  const Direction found = descend_on_device(corrections, history_size);
  CHECK(difference(found.direction,
                   descend_on_host(corrections, history_size)) < kRounding);
}

TEST_SUITE("cuda/steps/lbfgs_gram") {
  TEST_CASE("agrees with the host for each number of corrections") {
    for (const Index num : {0, 1, 2, 5, 6, 9, 10, 11, 13, 25}) {
      CAPTURE(num);
      const Corrections corrections = corrections_of(300, num, 100.0);
      check_direction(corrections, 10);
    }
  }

  TEST_CASE("agrees with the host for each size") {
    for (const Index size : {1, 2, 31, 32, 33, 255, 2048, 4097, 9000}) {
      CAPTURE(size);
      const Corrections corrections = corrections_of(size, 7, 10.0);
      check_direction(corrections, 5);
    }
  }

  TEST_CASE("keeps more corrections than get memory at first") {
    const Corrections corrections = corrections_of(150, 45, 10.0);
    check_direction(corrections, 32);
  }

  TEST_CASE("measures the direction") {
    const Corrections corrections = corrections_of(500, 4, 10.0);

    const Direction found = descend_on_device(corrections, 3);

    const Eigen::Map<const Vector> direction(found.direction.data(), 500);
    CHECK(found.squares == doctest::Approx(direction.squaredNorm()));
    CHECK(found.gradient_product ==
          doctest::Approx(direction.dot(corrections.gradient)));
  }

  TEST_CASE("refuses a newest correction of negative curvature only") {
    Corrections corrections = corrections_of(40, 3, 10.0);
    corrections.changes[1] *= -1.0;
    const Direction older = descend_on_device(corrections, 5);
    corrections.changes[2] *= -1.0;

    const Direction newest = descend_on_device(corrections, 5);

    CHECK(older.direction.size() == 40);
    CHECK(newest.direction.empty());
  }

  TEST_CASE("refuses what is not a number as the host does") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t place = 0; place < 3; ++place) {
      CAPTURE(place);
      Corrections corrections = corrections_of(40, 3, 10.0);
      corrections.changes[place][7] = kNaN;
      CHECK(descend_on_device(corrections, 5).direction.empty());
      CHECK(descend_on_host(corrections, 5).empty());
    }
    Corrections still = corrections_of(40, 3, 10.0);
    still.steps[2].setZero();
    CHECK(descend_on_device(still, 5).direction.empty());
    CHECK(descend_on_host(still, 5).empty());
  }

  TEST_CASE("gives the same bits in any order") {
    const Corrections corrections = corrections_of(1100, 6, 10.0);

    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return descend_on_device(corrections, 4); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
