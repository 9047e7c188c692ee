// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/column_features.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../datasets/column_encoder.hpp"

namespace mlp::datasets {

namespace {

using Texts = std::vector<std::string>;

const double kNone = std::nan("");
constexpr ColumnFeatureRules kPreset{true, true};

/// A column of categories with these counts, in the order of their texts.
///
/// \param num_missing  rows behind them that lack the value
Dataset make_categories(const std::vector<std::pair<std::string, int>>& counts,
                        int num_missing = 0) {
  Dataset data;
  std::vector<double> codes;
  InputColumn column{"color", ColumnKind::kCategory, {}, {}};
  for (const auto& [text, count] : counts) {
    const auto code = static_cast<double>(column.categories.size());
    codes.insert(codes.end(), static_cast<std::size_t>(count), code);
    column.categories.push_back(text);
  }
  codes.insert(codes.end(), static_cast<std::size_t>(num_missing), kNone);
  data.features = Eigen::Map<const Matrix>(codes.data(), 1,
                                           static_cast<Index>(codes.size()));
  data.columns = {column};
  data.feature_names = {"color"};
  data.source = "f.csv";
  return data;
}

/// A column of numbers of which the first ones are missing.
Dataset make_numbers(Index num_missing, Index size) {
  Dataset data;
  data.features = Matrix::Constant(1, size, 2.0);
  data.features.leftCols(num_missing).setConstant(kNone);
  data.columns = {{"x", ColumnKind::kNumber, {}, {}}};
  data.feature_names = {"x"};
  data.source = "f.csv";
  return data;
}

/// Returns the sum of each feature over all rows, after the encoding.
Vector feature_sums(Dataset data) {
  std::vector<InputColumn> columns = choose_features(data, kPreset);
  recode(data, columns);
  fit_missing_values(data, columns);
  encode(data, columns);
  return data.features.rowwise().sum();
}

}  // namespace

TEST_SUITE("datasets/column_features") {
  TEST_CASE("gives rare categories one feature together") {
    const Dataset data =
        make_categories({{"blue", 2}, {"green", 1}, {"red", 4}, {"teal", 3}});

    const InputColumn column = choose_features(data, kPreset)[0];

    CHECK(column.categories == Texts{"red", "teal"});
    CHECK(column.extra == ExtraFeature::kOther);
    CHECK_FALSE(column.missing_value);
    CHECK(feature_sums(data) == Vector{{4, 3, 3}});
  }

  TEST_CASE("leaves a column without rare categories as it is") {
    const Dataset data = make_categories({{"blue", 3}, {"red", 4}});

    CHECK(choose_features(data, kPreset) == data.columns);
    CHECK(choose_features(data, {}) == data.columns);
  }

  TEST_CASE("forgets a category without a row rather than to make a feature") {
    const Dataset data = make_categories({{"blue", 0}, {"red", 4}});

    const InputColumn column = choose_features(data, kPreset)[0];

    CHECK(column.categories == Texts{"red"});
    CHECK(column.extra == ExtraFeature::kNone);
  }

  TEST_CASE("keeps the most frequent of many, the first of equally frequent") {
    std::vector<std::pair<std::string, int>> counts;
    for (int i = 0; i < 1002; ++i) {
      counts.emplace_back("c" + std::to_string(1000 + i), i == 1001 ? 4 : 3);
    }
    const InputColumn column =
        choose_features(make_categories(counts), kPreset)[0];

    CHECK(column.categories.size() == kMaxCategories);
    CHECK(column.categories.front() == "c1000");
    CHECK(column.categories[998] == "c1998");  // c1999 and c2000 come later
    CHECK(column.categories.back() == "c2001");
    CHECK(column.num_features() == 1001);
  }

  TEST_CASE("takes all categories together if all are rare") {
    const Dataset data = make_categories({{"blue", 1}, {"red", 2}});

    CHECK(choose_features(data, kPreset)[0].categories.empty());
    CHECK(feature_sums(data) == Vector{{3}});
  }

  TEST_CASE("takes missing values of categories as a category") {
    const Dataset data = make_categories({{"blue", 3}, {"red", 4}}, 5);

    const InputColumn column = choose_features(data, kPreset)[0];

    CHECK(column.categories == Texts{"", "blue", "red"});
    CHECK(column.missing_value == 0.0);
    CHECK(expanded_names({&column, 1}) ==
          Texts{"color=", "color=blue", "color=red"});
    CHECK(feature_sums(data) == Vector{{5, 3, 4}});
  }

  TEST_CASE("takes rare missing values as other categories") {
    const Dataset data = make_categories({{"blue", 3}, {"red", 4}}, 2);

    const InputColumn column = choose_features(data, kPreset)[0];

    CHECK(column.missing_value == 2.0);
    CHECK(expanded_names({&column, 1}) ==
          Texts{"color=blue", "color=red", "color!="});
    CHECK(feature_sums(data) == Vector{{3, 4, 2}});
  }

  TEST_CASE("keeps every category where rare ones are not grouped") {
    const Dataset data = make_categories({{"blue", 1}, {"red", 4}}, 1);

    const InputColumn column = choose_features(data, {true, false})[0];

    CHECK(column.categories == Texts{"", "blue", "red"});
    CHECK(column.extra == ExtraFeature::kNone);
  }

  TEST_CASE("marks missing numbers if they are more than one in a hundred") {
    CHECK(choose_features(make_numbers(1, 100), kPreset)[0].extra ==
          ExtraFeature::kNone);
    const InputColumn column =
        choose_features(make_numbers(2, 100), kPreset)[0];

    CHECK(column.extra == ExtraFeature::kMissing);
    CHECK(expanded_names({&column, 1}) == Texts{"x", "x="});
    CHECK(feature_sums(make_numbers(2, 100)) == Vector{{200, 2}});
  }

  TEST_CASE("gives a dataset of other rows the features of the training") {
    const Dataset data = make_categories({{"blue", 3}, {"green", 2}}, 3);
    std::vector<InputColumn> columns = choose_features(data, kPreset);
    Dataset test = data;
    test.features = Matrix{{1, 0, kNone, -1}};

    encode(test, columns);

    CHECK(test.features == Matrix{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}});
    CHECK(test.feature_names == Texts{"color=", "color=blue", "color!="});
  }

  TEST_CASE("columns that cannot be features are left out") {
    Dataset data = make_numbers(3, 12);
    data.features.conservativeResize(3, Eigen::NoChange);
    data.features.row(1) = Eigen::RowVectorXd::LinSpaced(12, 0.0, 11.0);
    data.features.row(2).setConstant(kNone);
    data.columns.push_back({"id", ColumnKind::kCategory, {}, {}});
    for (int i = 0; i < 12; ++i) {
      data.columns[1].categories.push_back("n" + std::to_string(10 + i));
    }
    data.columns.push_back({"empty", ColumnKind::kNumber, {}, {}});
    data.feature_names = {"x", "id", "empty"};
    Dataset chosen = data;

    const auto left_out = leave_out_columns(data, {false, false, false});

    REQUIRE(left_out.size() == 2);
    CHECK(left_out[0].sentence ==
          "column 'id' has 12 different texts in 12 rows");
    CHECK(left_out[1].column == 2);
    CHECK(data.feature_names == Texts{"x"});
    CHECK(data.columns.size() == 1);
    CHECK(data.features.rows() == 1);
    CHECK(std::isnan(data.features(0, 2)));
    CHECK(leave_out_columns(chosen, {false, true, true}).empty());
  }

  TEST_CASE("a table keeps its last column") {
    Dataset data = make_numbers(5, 5);

    CHECK(leave_out_columns(data, {false}).empty());
    CHECK(data.features.rows() == 1);
  }
}

}  // namespace mlp::datasets
