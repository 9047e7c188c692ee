// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/column_encoder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "../../datasets/random_split.hpp"

namespace mlp::datasets {

namespace {

const double kNone = std::nan("");

/// A column of numbers and one of three categories, with a value missing in each.
Dataset make_data() {
  Dataset data;
  data.features = Matrix{{1, kNone, 5, 3}, {0, 2, 2, kNone}};
  data.feature_names = {"x", "color"};
  data.source = "f.csv";
  data.lines = {2, 3, 4, 5};
  data.columns = {
      {"x", ColumnKind::kNumber, {}, std::nullopt},
      {"color", ColumnKind::kCategory, {"blue", "green", "red"}, std::nullopt}};
  return data;
}

}  // namespace

TEST_SUITE("datasets/column_encoder") {
  TEST_CASE("finds the mean of numbers and the most frequent category") {
    const Dataset data = make_data();
    std::vector<InputColumn> columns = data.columns;

    fit_missing_values(data, columns);

    CHECK(columns[0].missing_value == 3.0);  // (1 + 5 + 3) / 3
    CHECK(columns[1].missing_value == 2.0);  // red twice, blue once
  }

  TEST_CASE("finds the mean of values whose difference overflows") {
    Dataset data;
    data.features = Matrix{{1e308, -1e308, kNone}};
    data.columns = {{"x", ColumnKind::kNumber, {}, std::nullopt}};
    std::vector<InputColumn> columns = data.columns;

    fit_missing_values(data, columns);

    CHECK(columns[0].missing_value == 0.0);
  }

  TEST_CASE("gives instances their weights") {
    Dataset data = make_data();
    data.weights = Vector{{3, 1, 1, 0}};
    std::vector<InputColumn> columns = data.columns;

    fit_missing_values(data, columns);

    CHECK(columns[0].missing_value == 2.0);  // (3 * 1 + 5) / 4
    CHECK(columns[1].missing_value == 0.0);  // blue weighs 3, red 2
  }

  TEST_CASE("takes the first of equally frequent categories") {
    Dataset data = make_data();
    data.features = Matrix{{1, 2}, {2, 1}};
    std::vector<InputColumn> columns = data.columns;

    fit_missing_values(data, columns);

    CHECK(columns[1].missing_value == 1.0);
  }

  TEST_CASE("replaces missing values and makes a feature of each category") {
    Dataset data = make_data();
    std::vector<InputColumn> columns = data.columns;
    fit_missing_values(data, columns);

    encode(data, columns);

    CHECK(data.features ==
          Matrix{{1, 3, 5, 3}, {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 1, 1}});
    CHECK(data.feature_names == std::vector<std::string>{"x", "color=blue",
                                                         "color=green",
                                                         "color=red"});
    CHECK(data.columns.empty());
  }

  TEST_CASE("gives a rare spelling the category that a prediction finds") {
    Dataset data;
    data.features = Matrix{{0.0, 1.0, 2.0}};
    data.columns = {{"c", ColumnKind::kCategory, {"1", "1.0", "2"}, {}}};
    std::vector<InputColumn> columns = {
        {"c", ColumnKind::kCategory, {"1"}, {}}};
    columns[0].extra = ExtraFeature::kOther;

    recode(data, columns);

    CHECK(data.features == Matrix{{0.0, 0.0, 1.0}});
    CHECK(category_codes(columns, 0, {{"1"}, {"1.0"}, {"2"}},
                         UnknownRule::kOther) == Vector{{0.0, 0.0, 1.0}});
  }

  TEST_CASE("gives an unknown category no feature and does nothing twice") {
    Dataset data = make_data();
    data.features = Matrix{{1.0}, {-1.0}};
    const std::vector<InputColumn> columns = data.columns;

    encode(data, columns);
    encode(data, columns);

    CHECK(data.features == Matrix{{1.0}, {0.0}, {0.0}, {0.0}});
  }

  TEST_CASE("refuses a text that is no category, or takes it as none") {
    const std::vector<InputColumn> columns = make_data().columns;
    const std::vector<std::optional<std::string>> texts = {"red", "pink", "?"};

    const Vector codes =
        category_codes(columns, 1, texts, UnknownRule::kIgnore);

    CHECK(codes.head(2) == Vector{{2.0, -1.0}});
    CHECK(std::isnan(codes[2]));
    CHECK_THROWS_WITH_AS(
        category_codes(columns, 1, texts),
        "row 1: unknown category 'pink' in column 'color'; expected one of "
        "'blue', 'green', 'red'",
        DataError);
  }

  TEST_CASE("refuses a missing value that nothing replaces") {
    Dataset data = make_data();
    const std::vector<InputColumn> columns = data.columns;

    CHECK_THROWS_WITH_AS(encode(data, columns),
                         "f.csv:3: column 'x' has no value for missing ones; "
                         "fill in the value or remove the row",
                         DataError);
  }

  TEST_CASE("refuses a column that no training row has a value of") {
    Dataset data = make_data();
    data.features.row(0).setConstant(kNone);
    std::vector<InputColumn> columns = data.columns;

    CHECK_THROWS_WITH_AS(fit_missing_values(data, columns),
                         "f.csv: column 'x' has no value in any of the 4 rows "
                         "to train on; leave the column out",
                         DataError);
  }

  TEST_CASE("refuses other columns and two features of one name") {
    Dataset data = make_data();
    std::vector<InputColumn> columns = data.columns;
    columns[0].name = "color=red";

    CHECK_THROWS_WITH_AS(encode(data, columns),
                         "f.csv: two features are named 'color=red', a column "
                         "and a category of another one; rename one of the "
                         "columns",
                         DataError);
    columns.pop_back();
    CHECK_THROWS_WITH_AS(encode(data, columns),
                         "instances must have 1 columns; got 2", ShapeError);
  }

  TEST_CASE("splits rows with missing values as Spark sorts NaN, at the end") {
    Dataset data = make_data();
    data.features = Matrix{{kNone, 2, kNone, 1}, {0, 0, 1, 0}};
    const std::vector<double> all = {1.0};

    const auto parts = datasets::random_split(data, all, 1);

    CHECK(parts[0].lines == std::vector<Index>{5, 3, 2, 4});
    CHECK(parts[0].columns == data.columns);
  }
}

}  // namespace mlp::datasets
