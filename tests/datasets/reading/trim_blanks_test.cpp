// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/trim_blanks.hpp"

#include <doctest/doctest.h>

namespace mlp::datasets::detail {

TEST_SUITE("datasets/reading/trim_blanks") {
  TEST_CASE("removes spaces and tabs at the ends alone") {
    CHECK(trim_blanks(" \ta b\t ") == "a b");
    CHECK(trim_blanks("a") == "a");
    CHECK(trim_blanks(" \t").empty());
    CHECK(trim_blanks("").empty());
  }
}

}  // namespace mlp::datasets::detail
