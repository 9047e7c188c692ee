// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/dropout.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

namespace mlp {

namespace {

constexpr Index kNumInstances = 200;
constexpr Index kNumUnits = 100;

/// Share of the units that a mask leaves out.
double share_left_out(const DropoutMask& mask) {
  Index count = 0;
  for (Index j = 0; j < kNumInstances; ++j) {
    for (Index i = 0; i < kNumUnits; ++i) count += mask.factor(j, i) == 0.0;
  }
  return static_cast<double>(count) / (kNumInstances * kNumUnits);
}

/// Share of the units for which two masks decide the same.
double share_equal(const DropoutMask& a, const DropoutMask& b) {
  Index count = 0;
  for (Index j = 0; j < kNumInstances; ++j) {
    for (Index i = 0; i < kNumUnits; ++i) {
      count += a.factor(j, i) == b.factor(j, i);
    }
  }
  return static_cast<double>(count) / (kNumInstances * kNumUnits);
}

// 20,000 decisions of rate 1/2 have a standard deviation of 0.0035; six of them.
constexpr double kShareTolerance = 0.021;

}  // namespace

TEST_SUITE("mlp/network/dropout") {
  // 1 / (1 - 0.75) = 4.
  TEST_CASE("gives units the factor 0 or that which keeps their expected sum") {
    const DropoutMask mask(1, 0, 0.75);

    double sum = 0.0;
    for (Index i = 0; i < kNumUnits; ++i) {
      const double factor = mask.factor(3, i);
      sum += factor;
      CHECK((factor == 0.0 || factor == 4.0));
    }

    CHECK(sum > 0.0);
  }

  TEST_CASE("leaves out the share that the rate says") {
    for (const double rate : {0.1, 0.25, 0.5, 0.9}) {
      CAPTURE(rate);
      CHECK(std::abs(share_left_out(DropoutMask(5, 1, rate)) - rate) <
            kShareTolerance);
    }
  }

  TEST_CASE("leaves out nothing at rate 0") {
    CHECK(share_left_out(DropoutMask(5, 1, 0.0)) == 0.0);
    CHECK(DropoutMask(5, 1, 0.0).factor(0, 0) == 1.0);
  }

  TEST_CASE("repeats its decisions from seed and layer") {
    CHECK(share_equal(DropoutMask(9, 2, 0.5), DropoutMask(9, 2, 0.5)) == 1.0);
  }

  TEST_CASE("decides independently for another seed or layer") {
    const DropoutMask mask(9, 2, 0.5);
    for (const DropoutMask& other :
         {DropoutMask(10, 2, 0.5), DropoutMask(9, 3, 0.5),
          DropoutMask(10, 1, 0.5), DropoutMask(~std::uint64_t{9}, 2, 0.5)}) {
      CHECK(std::abs(share_equal(mask, other) - 0.5) < kShareTolerance);
    }
  }

  TEST_CASE("decides independently for neighbouring units and instances") {
    const DropoutMask mask(9, 2, 0.5);
    double units = 0.0;
    double instances = 0.0;
    for (Index j = 0; j < kNumInstances; ++j) {
      for (Index i = 0; i < kNumUnits; ++i) {
        units += mask.factor(j, i) == mask.factor(j, i + 1);
        instances += mask.factor(j, i) == mask.factor(j + 1, i);
      }
    }

    constexpr double kNumPairs = kNumInstances * kNumUnits;
    CHECK(std::abs(units / kNumPairs - 0.5) < kShareTolerance);
    CHECK(std::abs(instances / kNumPairs - 0.5) < kShareTolerance);
  }

  // The outputs of the published generator for seed 0: mix(n times its step).
  TEST_CASE("mixes bits as SplitMix64") {
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

    CHECK(DropoutMask::mix(kStep) == 0xe220a8397b1dcdafu);
    CHECK(DropoutMask::mix(2 * kStep) == 0x6e789e6aa1b965f4u);
    CHECK(DropoutMask::mix(3 * kStep) == 0x06c45d188009454fu);
    CHECK(DropoutMask::mix(0) == 0);
  }
}

}  // namespace mlp
