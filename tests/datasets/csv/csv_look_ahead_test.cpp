// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_look_ahead.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace mlp::datasets::detail;

namespace {

using Texts = std::vector<std::string_view>;

}  // namespace

TEST_SUITE("datasets/csv/csv_look_ahead") {
  TEST_CASE("returns one column of the rows below the first one") {
    CsvLookAhead rows("a,b\n1,2\n\"3\",4\n", ',');

    CHECK(rows.next(0) == "1");
    CHECK(rows.next(0) == "3");
    CHECK_FALSE(rows.is_at_end());
    CHECK_FALSE(rows.next(0).has_value());
    CHECK(rows.is_at_end());
  }

  TEST_CASE("ends at a wrong row") {
    CsvLookAhead rows("a,b\n1\n", ',');
    CsvLookAhead quotes("a,b\n1,2\n\"3", ',');

    CHECK_FALSE(rows.next(1).has_value());
    CHECK_FALSE(rows.is_at_end());
    CHECK(quotes.next_texts().size() == 2);
    CHECK(quotes.next_texts().empty());
  }

  TEST_CASE("finds values that occur below the first row") {
    CHECK(occurs_below("a,b\n1,x\n2,b\n", ',', 1, "b"));
    CHECK_FALSE(occurs_below("a,b\nb,x\n", ',', 1, "b"));
    CHECK(occurs_below("a,b\n", ',', 1, "b"));
    CHECK(has_repetition("a,b\n1,x\n2,x\n", ',', 1));
    CHECK_FALSE(has_repetition("a,x\n1,x\n2,y\n", ',', 1));
  }
}
