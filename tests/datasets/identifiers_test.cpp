// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/identifiers.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace mlp::datasets {

namespace {

Dataset table(const std::vector<std::vector<double>>& columns) {
  Dataset data;
  data.features.resize(static_cast<Index>(columns.size()),
                       static_cast<Index>(columns.front().size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < columns[i].size(); ++k) {
      data.features(static_cast<Index>(i), static_cast<Index>(k)) =
          columns[i][k];
    }
    data.feature_names.push_back("x" + std::to_string(i));
  }
  return data;
}

}  // namespace

TEST_SUITE("datasets/identifiers") {
  TEST_CASE("finds integers that are sorted or without gaps") {
    const Dataset data = table({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                {1, 5, 7, 8, 9, 20, 30, 40, 50, 60},
                                {9, 8, 7, 6, 5, 4, 3, 2, 1, -1},
                                {13, 4, 5, 6, 12, 7, 8, 11, 9, 10}});

    CHECK(find_identifiers(data) == std::vector<Index>{0, 1, 2, 3});
  }

  TEST_CASE("says why a feature is probably an identifier") {
    CHECK(describe_identifier("no") ==
          "column 'no' has a different integer in each row, sorted or without "
          "gaps, so it is probably an identifier, which says nothing about new "
          "rows");
  }

  TEST_CASE("finds row numbers by their name and values") {
    const Dataset data = table({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                                {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                {1, 2, 3, 4, 5, 6, 7, 8, 10, 9},
                                {2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                                {2, 3, 4, 5, 6, 7, 8, 9, 10, 10},
                                {2, 3, 4, 5, 6, 7, 8, 9, 10, 10.5}});

    CHECK(is_row_number("rownames", data, 0));
    CHECK(is_row_number("Index", data, 1));
    CHECK_FALSE(is_row_number("day", data, 2));
    CHECK(is_row_number("id", data, 3));
    CHECK(is_row_number("unnamed: 0", data, 4));
    CHECK_FALSE(is_row_number("row", data, 5));
    CHECK_FALSE(is_row_number("row", data, 6));
  }

  TEST_CASE("takes repeated, broken and unordered values for features") {
    const Dataset data = table({{1, 2, 3, 4, 5, 6, 7, 8, 9, 9},
                                {1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                {1, 5, 7, 8, 9, 30, 20, 40, 50, 60},
                                {13, 4, 5, 6, 12, 7, 8, 8, 9, 10}});

    CHECK(find_identifiers(data).empty());
  }

  TEST_CASE("needs ten rows and a name") {
    Dataset data = table({{1, 2, 3, 4, 5, 6, 7, 8, 9}});
    CHECK(find_identifiers(data).empty());

    data = table({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
    data.feature_names = {""};
    CHECK(find_identifiers(data).empty());
  }
}

}  // namespace mlp::datasets
