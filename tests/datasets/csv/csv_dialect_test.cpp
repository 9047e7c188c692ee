// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_dialect.hpp"

#include <doctest/doctest.h>

using mlp::datasets::detail::CsvDialect;
using mlp::datasets::detail::parse_boolean;

TEST_SUITE("datasets/csv/csv_dialect") {
  TEST_CASE("reads True and False in three spellings") {
    CHECK(parse_boolean("True") == 1.0);
    CHECK(parse_boolean("FALSE") == 0.0);
    CHECK(parse_boolean("true") == 1.0);
    CHECK_FALSE(parse_boolean("tRUE"));
    CHECK_FALSE(parse_boolean("T"));
    CHECK_FALSE(parse_boolean("1"));
  }

  TEST_CASE("reads decimals by the chosen separator only") {
    const CsvDialect comma{';', ',', {}};

    CHECK(CsvDialect().number("3.5") == 3.5);
    CHECK_FALSE(CsvDialect().number("3,5"));
    CHECK(comma.number("-3,5e1") == -35.0);
    CHECK(comma.number("3") == 3.0);
    CHECK_FALSE(comma.number("1.234"));
    CHECK_FALSE(comma.number("1.234,5"));
    CHECK_FALSE(comma.has_plain_numbers());
  }

  TEST_CASE("spells numbers with a point, and leaves texts") {
    const CsvDialect comma{';', ',', {}};

    CHECK(comma.with_point("3,50") == "3.50");
    CHECK(comma.with_point("red, or green") == "red, or green");
    CHECK(comma.with_point("1,2,3") == "1,2,3");
    CHECK(CsvDialect().with_point("3,5") == "3,5");
  }

  TEST_CASE("knows numbers that are written in another way") {
    const CsvDialect comma{';', ',', {}};

    for (const char* text :
         {"0.5", "1.234", "1.683,56", "1.234.567", "1,200.50"}) {
      CHECK_MESSAGE(comma.is_other_number(text), text);
    }
    for (const char* text : {"0,5", "12", "31.12.2024", "v1.2", "k.A.", ""}) {
      CHECK_FALSE_MESSAGE(comma.is_other_number(text), text);
    }
    CHECK(CsvDialect().is_other_number("3,5"));
    CHECK_FALSE(CsvDialect().is_other_number("1.683,56"));
  }
}
