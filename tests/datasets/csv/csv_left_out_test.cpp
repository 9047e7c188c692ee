// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_left_out.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "read_text.hpp"

namespace mlp::datasets {

namespace {

CsvOptions preset() {
  CsvOptions options;
  options.use_preset(false, false, false);
  return options;
}

/// Twelve rows: a row number, an identifier, a number, no value, a category and a
/// label; the first number is missing.
std::string make_text(bool has_header) {
  std::string text = has_header ? "row,name,x,empty,color,label\n" : "";
  for (int i = 0; i < 12; ++i) {
    const std::string x = i == 0 ? "" : std::to_string(i * i) + ".5";
    text += std::to_string(i) + ",n" + std::to_string(i) + ',' + x + ",," +
            (i % 3 == 0 ? "red" : "blue") + ',' + std::to_string(i % 2) + '\n';
  }
  return text;
}

}  // namespace

TEST_SUITE("datasets/csv/csv_left_out") {
  TEST_CASE("columns that cannot be features are left out") {
    const CsvTable table = testing::read(make_text(true), preset());

    REQUIRE(table.left_out.size() == 3);
    CHECK(table.left_out[0].reason == LeftOutReason::kRowNumber);
    CHECK(table.left_out[0].name == "row");
    CHECK(table.left_out[1].reason == LeftOutReason::kTexts);
    CHECK(table.left_out[1].sentence ==
          "column 'name' has 12 different texts in 12 rows");
    CHECK(table.left_out[2].reason == LeftOutReason::kNoValue);
    CHECK(table.left_out[2].column == 3);
    CHECK(table.dataset.feature_names ==
          std::vector<std::string>{"x", "color"});
  }

  TEST_CASE("the others are read as if the file had no more") {
    const CsvTable table = testing::read(make_text(true), preset());

    CsvOptions ignoring = preset();
    ignoring.ignored = {"row", "name", "empty"};
    const CsvTable expected = testing::read(make_text(true), ignoring);

    CHECK(expected.left_out.empty());
    CHECK(table.dataset.columns == expected.dataset.columns);
    CHECK(table.dataset.features.rightCols(11) ==
          expected.dataset.features.rightCols(11));
    CHECK(std::isnan(table.dataset.features(0, 0)));
    CHECK(table.dataset.labels == expected.dataset.labels);
    CHECK(table.missing.num_values == 1);
    CHECK(table.missing.most == "column 'x'");
  }

  TEST_CASE("without a header a column is named by its index") {
    const CsvTable table = testing::read(make_text(false), preset());

    REQUIRE(table.left_out.size() == 2);
    CHECK(table.left_out[0].name == "1");
    CHECK(table.left_out[1].name == "3");
  }

  TEST_CASE("a name of two columns tells neither") {
    std::string text = "a,a,x,label\n";
    for (int i = 0; i < 12; ++i) {
      text += "n" + std::to_string(i) + ",1," + std::to_string(i) + ".5," +
              std::to_string(i % 2) + '\n';
    }
    const CsvTable table = testing::read(text, preset());

    REQUIRE(table.left_out.size() == 1);
    CHECK(table.left_out.front().name == "0");
  }

  TEST_CASE("columns stay if somebody asked for them, or if no other is left") {
    CsvOptions asking = preset();
    asking.one_hot = {true, {}, false};
    CHECK_THROWS_AS(testing::read(make_text(true), asking), ColumnError);

    std::string text = "name,label\n";
    for (int i = 0; i < 12; ++i) {
      text += "n" + std::to_string(i) + ',' + std::to_string(i % 2) + '\n';
    }
    CHECK_THROWS_AS(testing::read(text, preset()), ColumnError);
  }
}

}  // namespace mlp::datasets
