// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/initial_weights_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"

using mlp::cli::parse_weight_array;

namespace {

std::string refusal(const std::string& text) {
  return mlp::test::thrown_message<mlp::ModelError>(
      [&] { return parse_weight_array(text, "w.json"); });
}

}  // namespace

TEST_SUITE("cli/train/initial_weights_file") {
  TEST_CASE("reads a JSON array over several lines") {
    const mlp::Vector weights =
        parse_weight_array(" [1, -2.5e-3,\n\t0.1\r\n]\n", "w.json");

    REQUIRE(weights.size() == 3);
    CHECK(weights[0] == 1.0);
    CHECK(weights[1] == -2.5e-3);
    CHECK(weights[2] == 0.1);
  }

  TEST_CASE("reads an empty array") {
    CHECK(parse_weight_array("[ ]", "w.json").size() == 0);
  }

  TEST_CASE("refuses everything else with line and column") {
    const std::string rest =
        ": is neither a model nor a JSON array of weights; expected ";

    CHECK(refusal("") == "w.json:1:1" + rest + "'[', got the end of the file");
    CHECK(refusal("5.1,3.5") == "w.json:1:1" + rest + "'[', got '5.1'");
    CHECK(refusal("[1,\n x]") ==
          "w.json:2:2" + rest + "a finite number, got 'x'");
    CHECK(refusal("[1,]") == "w.json:1:4" + rest + "a finite number, got ']'");
    CHECK(refusal("[NaN]") ==
          "w.json:1:2" + rest + "a finite number, got 'NaN'");
    CHECK(refusal("[1e400]") ==
          "w.json:1:2" + rest + "a finite number, got '1e400'");
    CHECK(refusal("[1") ==
          "w.json:1:3" + rest + "',' or ']', got the end of the file");
    CHECK(refusal("[1 2]") == "w.json:1:4" + rest + "',' or ']', got '2'");
    CHECK(refusal("[1] 2") ==
          "w.json:1:5" + rest + "the end of the file, got '2'");
  }
}
