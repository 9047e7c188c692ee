// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/lbfgs_two_loop.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "lbfgs_probe.hpp"

namespace mlp::cuda {

namespace {

using testing::Corrections;
using testing::corrections_of;
using testing::descend_on_device;
using testing::descend_on_host;
using testing::difference;
using testing::Direction;

// The same operations as the host, but sums in another order.
constexpr double kRounding = 1e-13;

constexpr LbfgsForm kForm = LbfgsForm::kAuto;

TEST_SUITE("cuda/steps/lbfgs_two_loop") {
  TEST_CASE("agrees with the host for each number of corrections") {
    for (const Index num : {0, 1, 2, 5, 6, 9, 10, 11, 13, 25}) {
      CAPTURE(num);
      const Corrections corrections = corrections_of(300, num, 100.0);

      const Direction found = descend_on_device(corrections, 10, kForm);

      CHECK(difference(found.direction, descend_on_host(corrections, 10)) <
            kRounding);
    }
  }

  TEST_CASE("agrees with the host for each size") {
    for (const Index size : {1, 2, 31, 32, 33, 255, 2048, 4095, 4096}) {
      CAPTURE(size);
      const Corrections corrections = corrections_of(size, 7, 10.0);

      const Direction found = descend_on_device(corrections, 5, kForm);

      CHECK(difference(found.direction, descend_on_host(corrections, 5)) <
            kRounding);
    }
  }

  TEST_CASE("keeps more corrections than get memory at first") {
    const Corrections corrections = corrections_of(150, 45, 10.0);

    const Direction found = descend_on_device(corrections, 32, kForm);

    CHECK(difference(found.direction, descend_on_host(corrections, 32)) <
          kRounding);
  }

  TEST_CASE("measures the direction") {
    const Corrections corrections = corrections_of(500, 4, 10.0);

    const Direction found = descend_on_device(corrections, 3, kForm);

    const Eigen::Map<const Vector> direction(found.direction.data(), 500);
    CHECK(found.squares == doctest::Approx(direction.squaredNorm()));
    CHECK(found.gradient_product ==
          doctest::Approx(direction.dot(corrections.gradient)));
    REQUIRE(found.curvatures.size() == 3);
    CHECK(found.curvatures[0] ==
          doctest::Approx(corrections.steps[3].dot(corrections.changes[3])));
  }

  TEST_CASE("refuses a newest correction of negative curvature only") {
    Corrections corrections = corrections_of(40, 3, 10.0);
    corrections.changes[1] *= -1.0;
    const Direction older = descend_on_device(corrections, 5, kForm);
    corrections.changes[2] *= -1.0;

    const Direction newest = descend_on_device(corrections, 5, kForm);

    CHECK(older.direction.size() == 40);
    CHECK(newest.direction.empty());
  }

  TEST_CASE("refuses what is not a number as the host does") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t place = 0; place < 3; ++place) {
      CAPTURE(place);
      Corrections corrections = corrections_of(40, 3, 10.0);
      corrections.changes[place][7] = kNaN;
      CHECK(descend_on_device(corrections, 5, kForm).direction.empty());
      CHECK(descend_on_host(corrections, 5).empty());
    }
    Corrections still = corrections_of(40, 3, 10.0);
    still.steps[2].setZero();
    CHECK(descend_on_device(still, 5, kForm).direction.empty());
    CHECK(descend_on_host(still, 5).empty());
  }

  TEST_CASE("computes the same curvatures again") {
    testing::LbfgsProbe probe(700, 5, kForm);
    const Corrections corrections = corrections_of(700, 5, 10.0);
    for (std::size_t i = 0; i < 5; ++i) {
      probe.push(corrections.steps[i], corrections.changes[i]);
      static_cast<void>(probe.descend(corrections.gradient));
    }
    const std::vector<double> before =
        probe.read(probe.memory().curvatures, Index{5});

    compute_curvatures_in_block(probe.memory(), probe.stream().get());

    CHECK(probe.read(probe.memory().curvatures, Index{5}) == before);
  }

  TEST_CASE("gives the same bits in any order") {
    const Corrections corrections = corrections_of(1100, 6, 10.0);

    CHECK(testing::has_same_bits_in_any_order(
        [&] { return descend_on_device(corrections, 4, kForm); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
