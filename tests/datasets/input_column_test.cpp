// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/input_column.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

std::vector<InputColumn> two_columns() {
  return {{"width", ColumnKind::kNumber, {}, 1.5},
          {"color", ColumnKind::kCategory, {"blue", "red"}, std::nullopt}};
}

TEST_SUITE("datasets/input_column") {
  TEST_CASE("counts one feature for numbers and one for each category") {
    CHECK(two_columns()[0].num_features() == 1);
    CHECK(two_columns()[1].num_features() == 2);
    CHECK(count_features(two_columns()) == 3);
  }

  TEST_CASE("names the feature of a category after the column and itself") {
    CHECK(expanded_names(two_columns()) ==
          std::vector<std::string>{"width", "color=blue", "color=red"});
  }

  TEST_CASE("names the columns, or nothing if none has a name") {
    std::vector<InputColumn> columns = two_columns();
    CHECK(column_names(columns) == std::vector<std::string>{"width", "color"});

    for (InputColumn& column : columns) column.name.clear();
    CHECK(column_names(columns).empty());
  }

  TEST_CASE("compares the features that columns become") {
    std::vector<InputColumn> columns = two_columns();
    columns[0].missing_value = std::nullopt;
    CHECK(has_same_categories(columns, two_columns()));
    CHECK(columns_text(columns) != columns_text(two_columns()));
    CHECK(has_categories(columns));

    columns[1].categories = {"blue", "green"};
    CHECK_FALSE(has_same_categories(columns, two_columns()));
    columns.pop_back();
    CHECK_FALSE(has_same_categories(columns, two_columns()));
    CHECK_FALSE(has_categories(columns));
  }

  TEST_CASE("tells the features of categories and missing values") {
    std::vector<InputColumn> columns = two_columns();
    CHECK(indicator_features(columns) == std::vector<bool>{false, true, true});
    columns[0].extra = ExtraFeature::kMissing;
    CHECK(indicator_features(columns) ==
          std::vector<bool>{false, true, true, true});
    CHECK(indicator_features({columns.data(), 1}) ==
          std::vector<bool>{false, true});

    columns[0].extra = ExtraFeature::kNone;
    CHECK(indicator_features({columns.data(), 1}).empty());
  }

  TEST_CASE("compares columns by all that they have") {
    std::vector<InputColumn> changed = two_columns();
    changed[0].missing_value = 2.5;

    CHECK(two_columns() == two_columns());
    CHECK_FALSE(changed == two_columns());
  }

  TEST_CASE("finds truth values and numbers in other spellings") {
    const std::vector<std::string> categories{"0.1", "1e-7", "False", "true"};
    const auto find = [&](const std::string& text) {
      return find_category(categories, text) - categories.begin();
    };

    CHECK(find("1e-1") == 0);
    CHECK(find("0.10") == 4);
    CHECK(find("1e-07") == 1);
    CHECK(find("false") == 2);
    CHECK(find("TRUE") == 3);
    CHECK(find("0.2") == 4);
    CHECK(find("1") == 4);
    CHECK(find("yes") == 4);
    CHECK(other_spellings("007") == std::vector<std::string>{"007.0"});
    CHECK(other_spellings("e-7").empty());
  }

  TEST_CASE("finds a category with blanks around it") {
    const std::vector<std::string> categories = {"a", "true"};

    CHECK(find_category(categories, " a\t") == categories.begin());
    CHECK(find_category(categories, "True ") == categories.begin() + 1);
    CHECK(find_category(categories, "a a") == categories.end());
    CHECK(find_category(categories, " ") == categories.end());
  }

  TEST_CASE("finds an integer in both of its spellings") {
    const std::vector<std::string> categories = {"", "-1.0", "2", "3", "3.0"};
    const auto place_of = [&](const std::string& text) {
      return find_category(categories, text) - categories.begin();
    };

    CHECK(place_of("2.0") == 2);
    CHECK(place_of("-1") == 1);
    CHECK(place_of("3") == 3);
    CHECK(place_of("3.0") == 4);
    for (const char* const unknown :
         {"4", "2.00", "02", "x", "-", ".0", "--1"}) {
      CHECK(find_category(categories, unknown) == categories.end());
    }
  }
}

}  // namespace

}  // namespace mlp::datasets
