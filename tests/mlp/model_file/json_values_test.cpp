// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_values.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace mlp::detail;

TEST_SUITE("mlp/model_file/json_values") {
  TEST_CASE("writes members of an object in compact form") {
    JsonObject object;
    CHECK(object.text() == "{}");

    object.add("a", "1");
    object.add("b", "[]");

    CHECK(object.text() == "{\"a\":1,\"b\":[]}");
  }

  TEST_CASE("writes lists of numbers and strings") {
    CHECK(json_numbers(std::vector<double>{}) == "[]");
    CHECK(json_numbers(std::vector<double>{1.0, -0.0}) == "[1,-0.0]");
    CHECK(json_strings({"a", "\""}) == "[\"a\",\"\\\"\"]");
  }

  TEST_CASE("writes numbers of a history that are not finite as strings") {
    using Limits = std::numeric_limits<double>;

    CHECK(json_history({1.5, Limits::infinity(), Limits::quiet_NaN()}) ==
          "[1.5,\"Infinity\",\"NaN\"]");
  }
}
