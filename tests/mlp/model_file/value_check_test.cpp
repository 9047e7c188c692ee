// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/value_check.hpp"

#include <doctest/doctest.h>

#include <limits>

using mlp::ModelError;
using mlp::Vector;
using mlp::detail::ValueCheck;

TEST_SUITE("mlp/model_file/value_check") {
  TEST_CASE("names the file, the path, and what was expected and received") {
    const ValueCheck check("m.json");

    CHECK_NOTHROW(check.require(true, "$.a", "1", "2"));
    CHECK_THROWS_WITH_AS(check.require(false, "$.a", "1", "2"),
                         "m.json: $.a: must be 1; got 2", ModelError);
  }

  TEST_CASE("names the first number that is not finite") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const ValueCheck check("m.json");

    CHECK_NOTHROW(check.require_finite("$.a", Vector{{1.0, -2.0}}));
    CHECK_THROWS_WITH_AS(
        check.require_finite("$.a", Vector{{1.0, -kInfinity, kInfinity}}),
        "m.json: $.a[1]: must be a finite number; got -Infinity", ModelError);
  }
}
