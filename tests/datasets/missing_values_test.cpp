// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/missing_values.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

const double kNone = std::nan("");

/// Numbers, and colours of which red has a feature.
std::vector<InputColumn> two_columns() {
  return {{"size", ColumnKind::kNumber, {}, 2.0, ExtraFeature::kNone},
          {"color", ColumnKind::kCategory, {"red"}, 0.0, ExtraFeature::kNone}};
}

/// Four rows: two lack a size, one of them a colour too, and one has another colour.
Dataset four_rows() {
  Dataset data;
  data.features = Matrix{{1.0, kNone, kNone, 4.0}, {0.0, 0.0, kNone, -1.0}};
  return data;
}

}  // namespace

TEST_SUITE("datasets/missing_values") {
  TEST_CASE("counts values, rows, columns and unknown categories") {
    const MissingValues missing =
        count_missing(four_rows(), two_columns(), UnknownRule::kIgnore);

    CHECK(missing.num_values == 3);
    CHECK(missing.num_rows == 2);
    CHECK(missing.num_all_rows == 4);
    CHECK(missing.num_columns == 2);
    CHECK(missing.of_features == std::vector<Index>{2, 1});
    CHECK(missing.num_unknown == 1);
    CHECK(missing.most == "column 'size'");
    CHECK(missing.num_most == 2);
  }

  TEST_CASE("counts a category that shares a feature as unknown") {
    std::vector<InputColumn> columns = two_columns();
    columns[1].extra = ExtraFeature::kOther;
    Dataset data = four_rows();
    data.features(1, 3) = 1.0;  // the code of others: one category comes before

    CHECK(count_missing(data, columns, UnknownRule::kOther).num_unknown == 1);
    CHECK(count_missing(data, columns, UnknownRule::kIgnore).num_unknown == 0);
  }

  TEST_CASE("says how values are replaced and categories are taken") {
    std::vector<InputColumn> columns = two_columns();
    const MissingValues missing =
        count_missing(four_rows(), columns, UnknownRule::kIgnore);

    CHECK(describe_replaced(missing, kValuesOfModel) ==
          "3 missing values in 2 of 4 rows replaced by the values of the "
          "model; most in column 'size' (2)");
    CHECK(describe_unknown(missing, columns) ==
          "1 category value unknown to the model, taken as none of its "
          "categories: 1 in column 'color'");
    columns[1].extra = ExtraFeature::kOther;
    CHECK(describe_unknown(missing, columns) ==
          "1 category value unknown to the model, taken as others than its "
          "categories: 1 in column 'color'");
    CHECK(warn_of_unknown(missing, columns).empty());
  }

  TEST_CASE("warns of a column whose categories are all unknown") {
    const std::vector<InputColumn> columns = two_columns();
    Dataset data = four_rows();
    data.features.row(1) << -1.0, -1.0, kNone, -1.0;

    const MissingValues missing =
        count_missing(data, columns, UnknownRule::kIgnore);

    REQUIRE(warn_of_unknown(missing, columns).size() == 1);
    CHECK(warn_of_unknown(missing, columns).front() ==
          "no value of column 'color' is a category of the model: all 3 are "
          "unknown, taken as none of its categories, so the predictions do not "
          "depend on them; expected the categories of the training, written as "
          "there");
  }

  TEST_CASE("names the first columns that have unknown categories") {
    const InputColumn color = two_columns()[1];
    const std::vector<InputColumn> columns(7, color);
    Dataset data;
    data.features = Matrix::Constant(7, 1, -1.0);

    const MissingValues missing =
        count_missing(data, columns, UnknownRule::kIgnore);

    CHECK(describe_unknown(missing, columns)
              .ends_with(", 1 in column 'color' and others in 2 more columns"));
    CHECK(warn_of_unknown(missing, columns).empty());
  }

  TEST_CASE("knows the columns whose missing values the training has learned") {
    std::vector<InputColumn> columns = two_columns();
    const MissingValues missing =
        count_missing(four_rows(), columns, UnknownRule::kIgnore);

    CHECK(has_unlearned_missing(missing, columns));
    columns[0].extra = ExtraFeature::kMissing;
    CHECK(has_unlearned_missing(missing, columns));
    columns[1].categories = {"", "red"};
    CHECK_FALSE(has_unlearned_missing(missing, columns));
  }

  TEST_CASE(
      "warns of rows that are mostly left out and columns mostly filled") {
    MissingValues missing =
        count_missing(four_rows(), two_columns(), UnknownRule::kIgnore);
    missing.num_rows = missing.num_most = missing.of_features[0] = 3;

    CHECK(warn_of_missing(missing, MissingRule::kDrop, false) ==
          std::vector<std::string>{
              "more than half of the rows are left out, 3 of 4, because of "
              "missing values; most in column 'size' (3)"});
    CHECK(warn_of_missing(missing, MissingRule::kMean, false) ==
          std::vector<std::string>{
              "column 'size' has no value in more than half of the rows, 3 of "
              "4, which get the mean or the most frequent category of the "
              "others"});
    CHECK(warn_of_missing(missing, MissingRule::kMean, true).empty());
  }

  TEST_CASE("warns of NA among codes of two letters") {
    MissingValues missing;
    missing.codes = {"column 'country'"};

    CHECK(warn_of_missing(missing, MissingRule::kMean, true) ==
          std::vector<std::string>{
              "'NA' in column 'country' is taken as missing, but its other "
              "values are codes of two letters; if NA is a code too, write it "
              "as another text, or choose other texts for missing values"});
    CHECK(are_two_letter_codes({"DE", "FR"}));
    CHECK_FALSE(are_two_letter_codes({"DE"}));
    CHECK_FALSE(are_two_letter_codes({"DE", "Fr"}));
  }
}

}  // namespace mlp::datasets
