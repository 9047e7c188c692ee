// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/csv_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../../core/error.hpp"

using mlp::DataError;
using mlp::Index;
using mlp::datasets::detail::CsvColumns;

namespace {

CsvColumns with_header(std::vector<std::string> names) {
  CsvColumns columns(std::move(names), "f.csv");
  columns.set_has_header(true);
  return columns;
}

}  // namespace

TEST_SUITE("datasets/csv/layout/csv_columns") {
  TEST_CASE("finds columns by name and by index and from the end") {
    const CsvColumns columns = with_header({"a", "b", "0"});

    CHECK(columns.require("b", "label") == 1);
    CHECK(columns.require("1", "label") == 1);
    CHECK(columns.require("-3", "label") == 0);
    CHECK(columns.require("0", "label") == 2);
  }

  TEST_CASE("columns of folders have names and no indices") {
    CsvColumns columns({"a", "b", "day"}, "f.csv", 1);
    columns.set_has_header(true);

    CHECK(columns.require("-1", "label") == 1);
    CHECK(columns.require("day", "label") == 2);
    CHECK_THROWS_WITH_AS(columns.require("2", "label"),
                         "f.csv:1:1: no column is the label '2'; expected 'a', "
                         "'b', 'day', or an index from 0 to 1 or from -1 to -2",
                         DataError);
  }

  TEST_CASE("takes names for indices where there is no header") {
    const CsvColumns columns({"7", "0"}, "f.csv");

    CHECK(columns.require("0", "label") == 0);
    CHECK(columns.find_name("7", "label") == -1);
    CHECK(columns.describe(1) == "1");
  }

  TEST_CASE("suggests the name that was probably meant") {
    const CsvColumns columns = with_header({"species", "petal length", "x"});

    CHECK_THROWS_WITH_AS(columns.require("Species", "label"),
                         "f.csv:1:1: no column is the label 'Species'; did you "
                         "mean 'species'?",
                         DataError);
    CHECK_THROWS_WITH_AS(
        columns.require("petal_length", "feature"),
        "f.csv:1:1: no column is the feature 'petal_length'; did you mean "
        "'petal length'?",
        DataError);
    CHECK_THROWS_WITH_AS(columns.require("y", "feature"),
                         "f.csv:1:1: no column is the feature 'y'; expected "
                         "'species', 'petal length', 'x', or an index from 0 "
                         "to 2 or from -1 to -3",
                         DataError);
  }

  TEST_CASE("offers an index where several columns have the name") {
    CHECK_THROWS_WITH_AS(
        with_header({"0", "x", "0"}).require("0", "label"),
        "f.csv:1:1: more than one column is named '0'; expected one label "
        "column; name it by its index from the end, such as -3",
        DataError);
  }

  TEST_CASE("refuses a list with one column twice") {
    const CsvColumns columns = with_header({"a", "b"});

    CHECK(columns.require_all({"b", "0"}, "feature") ==
          std::vector<Index>{1, 0});
    CHECK_THROWS_WITH_AS(
        columns.require_all({"a", "0"}, "feature"),
        "f.csv:1:1: column 'a' is listed twice as feature; expected each "
        "column "
        "once",
        DataError);
  }
}
