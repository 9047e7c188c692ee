// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/interval.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace mlp {

namespace {

std::string described(const Interval& interval) {
  return std::string(describe_interval("a number", interval).view());
}

}  // namespace

TEST_SUITE("core/interval") {
  TEST_CASE("contains its ends where they belong to it") {
    constexpr Interval kClosed = at_least(0).and_at_most(1);
    constexpr Interval kOpen = above(0).and_below(1);

    CHECK(kClosed.contains(0.0));
    CHECK(kClosed.contains(1.0));
    CHECK_FALSE(kOpen.contains(0.0));
    CHECK_FALSE(kOpen.contains(1.0));
    CHECK(kOpen.contains(0.5));
    CHECK_FALSE(kClosed.contains(-1e-300));
    CHECK_FALSE(kClosed.contains(1.0000001));
  }

  TEST_CASE("has no upper end unless one is given") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

    CHECK_FALSE(at_least(1).is_bounded());
    CHECK(at_least(1).contains(kInfinity));
    CHECK(at_least(1).contains(kLast));
    CHECK_FALSE(at_least(1).contains(std::int64_t{0}));
    CHECK(above(0).and_at_most(5).is_bounded());
  }

  TEST_CASE("contains no number that is NaN") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

    CHECK_FALSE(at_least(0).contains(kNaN));
    CHECK_FALSE(above(0).and_below(1).contains(kNaN));
  }

  TEST_CASE("describes itself as sentences do") {
    CHECK(described(at_least(0)) == "a number >= 0");
    CHECK(described(above(0)) == "a number > 0");
    CHECK(described(at_least(0).and_below(1)) == "a number >= 0 and < 1");
    CHECK(described(at_least(-2).and_at_most(1000)) ==
          "a number >= -2 and <= 1000");
    CHECK(describe_interval("a share", above(0), ", or a file").view() ==
          "a share > 0, or a file");
  }
}

}  // namespace mlp
