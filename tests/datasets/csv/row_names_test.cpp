// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/row_names.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using mlp::datasets::detail::counts_rows;
using mlp::datasets::detail::has_distinct_names;
using mlp::datasets::detail::is_unnamed;

using Texts = std::vector<std::string_view>;

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
    CHECK(counts_rows(Texts{",a\n0,5\n1,5\n2,5\n"}, ',', 0));
    CHECK(counts_rows(Texts{",a\n1,5\n2,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n2,5\n3,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n0,5\n2,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n"}, ',', 0));
  }

  TEST_CASE("finds columns that count on or begin again in each text") {
    const std::string_view first = ",a\n0,5\n1,6\n";

    CHECK(counts_rows(Texts{first, ",a\n2,5\n3,6\n"}, ',', 0));
    CHECK(counts_rows(Texts{",a\n", first, first}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{first, ",a\n5,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{first, ",a\n0,5\n2,6\n"}, ',', 0));
  }

  TEST_CASE("finds columns of different integers or texts") {
    CHECK(has_distinct_names(Texts{",a\n7,5\n3,5\n-2,5\n"}, ',', 0));
    CHECK(has_distinct_names(Texts{",a\nBob,5\nAnn,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n7,5\n7,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\nBob,5\nBob,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n0.5,5\n0.7,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n,5\nb,5\n"}, ',', 0));
  }
}
