// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/baseline.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp {

namespace {

/// Rounding of sums over a few numbers.
constexpr double kRounding = 1e-14;

constexpr std::array<std::int32_t, 4> kLabels{0, 1, 1, 1};
constexpr std::array<double, 4> kWeights{3, 1, 1, 1};

InstanceRange range_of_classes(Index first, Index size) {
  InstanceRange range;
  range.size = size;
  range.labels = kLabels.data() + first;
  return range;
}

}  // namespace

TEST_SUITE("mlp/objective/baseline") {
  TEST_CASE("is the entropy of the classes, by the weights of instances") {
    distributed::Identity alone;
    const Topology topology({1, 2});
    InstanceRange range = range_of_classes(0, 4);

    // -(1/4 ln 1/4 + 3/4 ln 3/4)
    CHECK(std::abs(compute_baseline(topology, range, alone).loss -
                   0.5623351446188083) < kRounding);
    range.weights = kWeights.data();
    CHECK(std::abs(compute_baseline(topology, range, alone).loss -
                   std::log(2.0)) < kRounding);
  }

  TEST_CASE("has the share of the largest class, by the weights of instances") {
    distributed::Identity alone;
    InstanceRange range = range_of_classes(0, 4);

    CHECK(compute_baseline(Topology({1, 2}), range, alone).accuracy == 0.75);
    range.weights = kWeights.data();
    CHECK(compute_baseline(Topology({1, 2}), range, alone).accuracy == 0.5);
  }

  TEST_CASE("smooths the classes as the labels are") {
    distributed::Identity alone;
    const Topology topology({1, 2}, LossFunction(Loss::kSoftmaxNll, 0.5));

    // 0.5 * (1/4, 3/4) + 0.25 = (3/8, 5/8)
    CHECK(std::abs(
              compute_baseline(topology, range_of_classes(0, 4), alone).loss +
              0.375 * std::log(0.375) + 0.625 * std::log(0.625)) < kRounding);
  }

  TEST_CASE("is 0 if there is one class only") {
    distributed::Identity alone;

    CHECK(compute_baseline(Topology({1, 2}), range_of_classes(1, 3), alone)
              .loss == 0.0);
  }

  TEST_CASE("is half the sum of the variances of the targets") {
    distributed::Identity alone;
    const Matrix targets{{1e6 + 1.0, 1e6 - 1.0}, {4.0, 0.0}};
    InstanceRange range;
    range.size = 2;
    range.targets = targets.data();

    // variances 1 and 4
    CHECK(compute_baseline(Topology({1, 2}, Loss::kSquaredError), range, alone)
              .loss == 2.5);
  }

  TEST_CASE("is of the instances of all ranks") {
    distributed::Identity alone;
    const Topology topology({1, 2});
    const double whole =
        compute_baseline(topology, range_of_classes(0, 4), alone).loss;
    distributed::ThreadGroup group(2, 10.0);
    std::array<double, 2> losses{};

    distributed::testing::run_ranks(2, [&](int rank) {
      losses[static_cast<std::size_t>(rank)] =
          compute_baseline(topology, range_of_classes(2 * rank, 2),
                           group.rank(rank))
              .loss;
    });

    CHECK(losses[0] == whole);
    CHECK(losses[1] == whole);
  }
}

}  // namespace mlp
