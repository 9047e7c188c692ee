// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/quoted.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using mlp::datasets::in_quotes;
using mlp::datasets::quoted_list;

TEST_SUITE("datasets/reading/quoted") {
  TEST_CASE("puts a short text in quotes as it is") {
    CHECK(in_quotes("setosa") == "'setosa'");
    CHECK(in_quotes("") == "''");
  }

  TEST_CASE("escapes control characters on one line") {
    CHECK(in_quotes("a\nb\x7F\x1B[2J") == R"('a\x0ab\x7f\x1b[2J')");
  }

  TEST_CASE("cuts a long text after 40 bytes") {
    CHECK(in_quotes(std::string(40, 'x')) == "'" + std::string(40, 'x') + "'");
    CHECK(in_quotes(std::string(41, 'x')) ==
          "'" + std::string(40, 'x') + "...'");
  }

  TEST_CASE("cuts between two characters and never within one") {
    const std::string text = std::string(39, 'x') + "\xC3\xA9" + "end";

    CHECK(in_quotes(text) == "'" + std::string(39, 'x') + "...'");
  }

  TEST_CASE("lists ten names and counts the others") {
    const std::vector<std::string> three = {"a", "b", "c"};
    const std::vector<std::string> twelve(12, "n");

    CHECK(quoted_list(three) == "'a', 'b', 'c'");
    CHECK(quoted_list(twelve) ==
          "'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n' and 2 more");
    CHECK(quoted_list(std::vector<std::string>{}).empty());
  }
}
