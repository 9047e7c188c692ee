// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/row_names.hpp"

#include <doctest/doctest.h>

using mlp::datasets::detail::counts_rows;
using mlp::datasets::detail::has_distinct_names;
using mlp::datasets::detail::is_unnamed;

TEST_SUITE("datasets/csv/row_names") {
  TEST_CASE("knows the names that pandas gives columns without one") {
    CHECK(is_unnamed(""));
    CHECK(is_unnamed("Unnamed: 0"));
    CHECK(is_unnamed("Unnamed: 12"));
    CHECK_FALSE(is_unnamed("Unnamed: x"));
    CHECK_FALSE(is_unnamed("Unnamed: "));
    CHECK_FALSE(is_unnamed("unnamed"));
  }

  TEST_CASE("finds columns that count from 0 or 1") {
    CHECK(counts_rows(",a\n0,5\n1,5\n2,5\n", ',', 0));
    CHECK(counts_rows(",a\n1,5\n2,5\n", ',', 0));
    CHECK_FALSE(counts_rows(",a\n2,5\n3,5\n", ',', 0));
    CHECK_FALSE(counts_rows(",a\n0,5\n2,5\n", ',', 0));
    CHECK_FALSE(counts_rows(",a\n", ',', 0));
  }

  TEST_CASE("finds columns of different integers or texts") {
    CHECK(has_distinct_names(",a\n7,5\n3,5\n-2,5\n", ',', 0));
    CHECK(has_distinct_names(",a\nBob,5\nAnn,5\n", ',', 0));
    CHECK_FALSE(has_distinct_names(",a\n7,5\n7,5\n", ',', 0));
    CHECK_FALSE(has_distinct_names(",a\nBob,5\nBob,5\n", ',', 0));
    CHECK_FALSE(has_distinct_names(",a\n0.5,5\n0.7,5\n", ',', 0));
    CHECK_FALSE(has_distinct_names(",a\n,5\nb,5\n", ',', 0));
  }
}
