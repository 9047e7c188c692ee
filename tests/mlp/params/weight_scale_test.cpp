// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/weight_scale.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string_view>

namespace mlp {

namespace {

std::string describe(double weight_sum, Index num_rows, ParamNames given = {}) {
  return describe_weight_scale({4, 2, weight_sum, std::nullopt, num_rows},
                               given);
}

}  // namespace

TEST_SUITE("mlp/params/weight_scale") {
  TEST_CASE("tells of weights that are taken for far fewer or more rows") {
    CHECK(describe(1.0 - 1e-12, 300) ==
          "the weights of the 300 rows have the sum 1, for which the penalty "
          "regParam is chosen, because a row of weight 2 counts as two rows; "
          "divide the weights by their mean, or set regParam");
    CHECK(describe(0.125, 300).find("have the sum 0.125, for") !=
          std::string::npos);
    CHECK(describe(1e300, 300).find("have the sum 1e+300, for") !=
          std::string::npos);
    CHECK(describe(300000.0, 300).find("have the sum 300000, for") !=
          std::string::npos);
  }

  TEST_CASE("says nothing of weights whose mean is about 1, and without any") {
    CHECK(describe(300.0, 300).empty());
    CHECK(describe(15.0, 300).empty());
    CHECK(describe(6000.0, 300).empty());
    CHECK(describe(300.0, 0).empty());
  }

  TEST_CASE("says nothing if the caller has set the penalty") {
    constexpr auto kGiven = std::to_array<std::string_view>({"regParam"});
    CHECK(describe(1.0, 300, kGiven).empty());
  }
}

}  // namespace mlp
