// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/first_difference.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace mlp {

TEST_SUITE("core/first_difference") {
  using Lines = std::pair<std::string, std::string>;

  TEST_CASE("finds nothing in equal texts") {
    CHECK_FALSE(first_difference("", ""));
    CHECK_FALSE(first_difference("a\nb\n", "a\nb\n"));
  }

  TEST_CASE("gives the first lines that differ and none behind them") {
    CHECK(first_difference("a\nb\nc\n", "a\nx\ny\n") == Lines{"b", "x"});
  }

  TEST_CASE("gives an empty line for a text that is shorter") {
    CHECK(first_difference("a\nb\n", "a\n") == Lines{"b", ""});
    CHECK(first_difference("", "x") == Lines{"", "x"});
  }

  TEST_CASE("names facts whose values say nothing to a reader") {
    const std::string digest(64, 'a');
    const std::string list = "[" + digest + "]";

    CHECK(unreadable_fact("data " + digest) == "data");
    CHECK(unreadable_fact("initialWeights " + list) == "initialWeights");
    CHECK(unreadable_fact("digest of the label texts 123") == "label texts");
  }

  TEST_CASE("shows facts that are short or that are names") {
    CHECK(unreadable_fact("seed 1234").empty());
    CHECK(unreadable_fact("layers [4, 5, 3]").empty());
    CHECK(unreadable_fact("label " + std::string(80, 'x')).empty());
    CHECK(unreadable_fact("none").empty());
    CHECK(unreadable_fact("").empty());
  }
}

}  // namespace mlp
