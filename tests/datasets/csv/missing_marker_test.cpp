// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/missing_marker.hpp"

#include <doctest/doctest.h>

using mlp::datasets::detail::is_missing_marker;

TEST_SUITE("datasets/csv/missing_marker") {
  TEST_CASE("knows the usual texts of a missing value in any case") {
    for (const char* text :
         {"", "?", "NA", "na", "N/A", "n/a", "NULL", "null", "NaN", "nan"}) {
      CHECK_MESSAGE(is_missing_marker(text), text);
    }
  }

  TEST_CASE("takes other texts for values") {
    for (const char* text :
         {"0", "-", "none", "??", "NAN1", "inf", "missing", "N A", "no"}) {
      CHECK_FALSE_MESSAGE(is_missing_marker(text), text);
    }
  }
}
