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
}
