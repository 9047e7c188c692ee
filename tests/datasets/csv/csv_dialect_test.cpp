// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_dialect.hpp"

#include <doctest/doctest.h>

using mlp::datasets::MissingTexts;
using mlp::datasets::detail::CsvDialect;
using mlp::datasets::detail::parse_boolean;

TEST_SUITE("datasets/csv/csv_dialect") {
  TEST_CASE("knows the usual texts of a missing value in any case") {
    for (const char* text :
         {"", "?", "NA", "na", "N/A", "n/a", "NULL", "null", "NaN", "nan"}) {
      CHECK_MESSAGE(MissingTexts().has(text), text);
    }
  }

  TEST_CASE("takes other texts for values") {
    for (const char* text :
         {"0", "-", "none", "??", "NAN1", "inf", "missing", "N A", "no"}) {
      CHECK_FALSE_MESSAGE(MissingTexts().has(text), text);
    }
  }

  TEST_CASE("replaces the usual texts by given ones, numbers by their value") {
    const MissingTexts missing({"unknown", "-999"});

    for (const char* text : {"", "Unknown", "-999", "-999.0", "-9.99e2"}) {
      CHECK_MESSAGE(missing.has(text), text);
    }
    for (const char* text : {"NA", "?", "999", "-99"}) {
      CHECK_FALSE_MESSAGE(missing.has(text), text);
    }
    CHECK(missing.has_number(-999.0));
    CHECK(MissingTexts({"b", "a", "b"}).given()->size() == 2);
    CHECK(MissingTexts().numbers().empty());
  }

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
