// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_missing.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "read_text.hpp"

namespace mlp::datasets {

namespace {

CsvTable read(const std::string& text, MissingRule rule, int num_threads = 1) {
  CsvOptions options;
  options.missing = rule;
  options.num_threads = num_threads;
  return testing::read(text, options);
}

std::string refusal(const std::string& text, MissingRule rule) {
  return test::thrown_message<DataError>([&] { return read(text, rule); });
}

const std::string kFive = "a,b,label\n1,2,0\n?,3,1\n4,NA,0\n,nan,1\n7,8,1\n";

}  // namespace

TEST_SUITE("datasets/csv/csv_missing") {
  TEST_CASE("reads all rows of a file that is nearly empty") {
    std::string text = "a,b,c,d,e,f\n1,2,3,4,5,0\n";
    for (int i = 0; i < 100; ++i) text += ",,,,,1\n";

    const CsvTable table = read(text, MissingRule::kMean);

    CHECK(table.dataset.num_instances() == 101);
    CHECK(table.dataset.labels.size() == 101);
    CHECK(table.missing.num_rows == 100);
    CHECK(std::isnan(table.dataset.features(4, 100)));
  }

  TEST_CASE("leaves out rows with missing features and keeps the others") {
    const CsvTable table = read(kFive, MissingRule::kDrop);

    CHECK(table.dataset.features == Matrix{{1, 7}, {2, 8}});
    CHECK(table.dataset.labels == Vector{{0, 1}});
    CHECK(table.dataset.lines == std::vector<Index>{2, 6});
    CHECK(table.dataset.columns.empty());
  }

  TEST_CASE("counts values, rows and the column that has most of them") {
    const auto missing = read(kFive, MissingRule::kDrop).missing;

    CHECK(missing.num_values == 4);
    CHECK(missing.num_rows == 3);
    CHECK(missing.num_all_rows == 5);
    CHECK(missing.num_columns == 2);
    CHECK(missing.most == "column 'a'");
    CHECK(missing.num_most == 2);
  }

  TEST_CASE("leaves out rows whose label is missing, a number or a text") {
    const CsvTable numbers = read("1,0\n2,?\n3,1\n", MissingRule::kDrop);
    const CsvTable texts = read("1,no\n2,\n3,NA\n4,yes\n", MissingRule::kDrop);

    CHECK(numbers.dataset.labels == Vector{{0, 1}});
    CHECK(texts.dataset.features == Matrix{{1, 4}});
    CHECK(texts.dataset.label_texts == std::vector<std::string>{"no", "yes"});
  }

  TEST_CASE("stores NaN for a value that a mean will replace") {
    const CsvTable table = read(kFive, MissingRule::kMean);

    CHECK(table.dataset.num_instances() == 5);
    CHECK(std::isnan(table.dataset.features(0, 1)));
    CHECK(table.dataset.features(1, 1) == 3.0);
    CHECK(table.dataset.columns.size() == 2);
    CHECK(table.dataset.columns[1].name == "b");
  }

  TEST_CASE("refuses a missing label where a mean fills in features") {
    CHECK(
        refusal("1,0\n2,\n", MissingRule::kMean) ==
        "f.csv:2:3: expected a label in column 1, got an empty field; fill in "
        "the missing value or remove the row");
  }

  TEST_CASE("refuses a column without a value and rows that all lack one") {
    for (const MissingRule rule : {MissingRule::kDrop, MissingRule::kMean}) {
      CHECK(refusal("x,y,label\n1,?,0\n2,?,1\n", rule) ==
            "f.csv: column 'y' has no value in any of the 2 rows; leave the "
            "column out");
    }
    CHECK(
        refusal("1,?,0\n?,2,1\n", MissingRule::kDrop) ==
        "f.csv: each of the 2 rows has a missing value; expected a row without "
        "one; leave out the columns that have most of them");
  }

  TEST_CASE("refuses a missing weight with every rule") {
    CsvOptions options;
    options.missing = MissingRule::kDrop;
    options.weight = "w";

    CHECK(testing::refusal("x,w,label\n1,1,0\n2,NA,1\n", options) ==
          "f.csv:3:3: expected a weight of 0 or more in column 'w', got 'NA'; "
          "fill "
          "in the missing value or remove the row");
  }
}

}  // namespace mlp::datasets
