// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/truth_value.hpp"

#include <doctest/doctest.h>

namespace mlp::datasets {

TEST_SUITE("datasets/reading/truth_value") {
  TEST_CASE("knows each spelling") {
    CHECK(truth_value("True") == true);
    CHECK(truth_value("true") == true);
    CHECK(truth_value("TRUE") == true);
    CHECK(truth_value("False") == false);
    CHECK(truth_value("false") == false);
    CHECK(truth_value("FALSE") == false);
  }

  TEST_CASE("knows no other text") {
    for (const char* text : {"", "t", "yes", "1", "0", "tRue", "true "}) {
      CHECK_FALSE(truth_value(text).has_value());
    }
  }
}

}  // namespace mlp::datasets
