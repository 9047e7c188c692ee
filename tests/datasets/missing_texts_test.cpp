// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/missing_texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using mlp::datasets::MissingTexts;

TEST_SUITE("datasets/missing_texts") {
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

  TEST_CASE("takes few texts among many numbers for missing values") {
    using mlp::datasets::may_mean_missing;
    using Texts = std::vector<std::string>;

    CHECK(may_mean_missing(Texts{"-", "none"}, 2, 3));
    CHECK_FALSE(may_mean_missing(Texts{"-", "none"}, 3, 3));
    CHECK_FALSE(may_mean_missing(Texts{"1O"}, 1, 9));
    CHECK_FALSE(may_mean_missing(Texts{"a", "b", "c", "d"}, 4, 99));
    CHECK_FALSE(may_mean_missing(Texts{}, 0, 9));
  }
}
