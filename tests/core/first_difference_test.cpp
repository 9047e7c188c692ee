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
}

}  // namespace mlp
