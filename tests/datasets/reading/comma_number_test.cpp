// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/comma_number.hpp"

#include <doctest/doctest.h>

using namespace mlp::datasets::detail;

TEST_SUITE("datasets/reading/comma_number") {
  TEST_CASE("knows what the commas of a number separate") {
    CHECK(comma_use("3,14") == CommaUse::kDecimals);
    CHECK(comma_use("-0,5e3") == CommaUse::kDecimals);
    CHECK(comma_use("0,125") == CommaUse::kDecimals);
    CHECK(comma_use("1,234") == CommaUse::kEither);
    CHECK(comma_use("1,234,567.5") == CommaUse::kThousands);
    CHECK(comma_use("5,800.0") == CommaUse::kThousands);
  }

  TEST_CASE("takes other texts for no numbers") {
    for (const char* const text :
         {"", ",", "3", "3.14", "a,b", "1,", ",", "1,2,3", "1,23,456", "Lee, 3",
          "1,-2", "1, 2", "1,a", "5,80.0", ",800.0", "5.8,000"}) {
      CHECK_MESSAGE(comma_use(text) == CommaUse::kNone, text);
    }
  }

  TEST_CASE("finds decimal commas between semicolons") {
    CHECK(has_decimal_commas("3,14;2;x"));
    CHECK(has_decimal_commas("3,14; ;2,71\r"));
    CHECK_FALSE(has_decimal_commas("3;2"));
    CHECK_FALSE(has_decimal_commas("3,14"));
    CHECK_FALSE(has_decimal_commas("3,14;a,b"));
  }
}
