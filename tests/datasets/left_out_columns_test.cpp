// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/left_out_columns.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

using Texts = std::vector<std::string>;

/// Values 0, 1, 2, ... or codes of as many texts.
Eigen::RowVectorXd count_up(Index size) {
  return Eigen::RowVectorXd::LinSpaced(size, 0.0,
                                       static_cast<double>(size - 1));
}

/// Returns the sentence about a column of numbers; "" if it stays.
std::string about_numbers(const std::string& name,
                          const Eigen::RowVectorXd& values) {
  Dataset data;
  data.features = values;
  const auto found = find_left_out(
      data, 0, {name, "column 'x'", columns_with_values(data).front()});
  return found ? found->sentence : "";
}

/// Returns the sentence about a column of texts, one for each row.
std::string about_texts(const Texts& texts) {
  const Eigen::RowVectorXd codes = count_up(static_cast<Index>(texts.size()));
  Dataset data;
  data.features = codes;
  const auto found = find_left_out(data, 0, {"x", "column 'x'", true, &texts});
  return found ? found->sentence : "";
}

/// Texts a0, a1, ... with an end.
Texts make_texts(int size, const std::string& end = "") {
  Texts texts;
  for (int i = 0; i < size; ++i) {
    texts.push_back("a" + std::to_string(i) + end);
  }
  return texts;
}

}  // namespace

TEST_SUITE("datasets/left_out_columns") {
  TEST_CASE("texts hardly repeat if more than ten differ in most rows") {
    CHECK_FALSE(hardly_repeat(10, 10));
    CHECK(hardly_repeat(11, 21));
    CHECK_FALSE(hardly_repeat(11, 22));
  }

  TEST_CASE("a column without a value is left out") {
    const Eigen::RowVectorXd none =
        Eigen::RowVectorXd::Constant(3, std::nan(""));

    CHECK(about_numbers("a", none) ==
          "column 'x' has no value in any of the 3 rows");
    CHECK(about_numbers("a", Eigen::RowVectorXd()).empty());
    Eigen::RowVectorXd one = none;
    one[1] = 0.0;
    CHECK(about_numbers("a", one).empty());
  }

  TEST_CASE("a column of row numbers is left out by its name") {
    CHECK(about_numbers("rownames", count_up(10)) ==
          "column 'x' has a different integer in each row, which says nothing "
          "about new rows");
    CHECK(about_numbers("day", count_up(10)).empty());
    CHECK(about_numbers("id", count_up(9)).empty());
  }

  TEST_CASE("a column of texts that hardly repeat is left out") {
    CHECK(about_texts(make_texts(12)) ==
          "column 'x' has 12 different texts in 12 rows");
    CHECK(about_texts(make_texts(10)).empty());
  }

  TEST_CASE("numbers that are written otherwise stay, to be refused") {
    for (const std::string unit : {"%", "$", "\u20ac"}) {
      CHECK(about_texts(make_texts(12, unit)).empty());
    }
    Texts numbers = {"unknown"};
    for (int i = 0; i < 12; ++i) numbers.push_back(std::to_string(i));
    CHECK(about_texts(numbers).empty());
  }

  TEST_CASE("choosing features keeps the others, or all if none would stay") {
    Dataset data;
    data.features = Matrix::Constant(3, 2, std::nan(""));
    data.features(1, 0) = 5.0;
    const auto find_empty = [](Index feature, bool has_value) {
      LeftOutColumn found;
      found.column = feature;
      return has_value ? std::nullopt : std::optional(found);
    };

    const ChosenFeatures some = choose_kept_features(data, find_empty);
    data.features(1, 0) = std::nan("");
    const ChosenFeatures none = choose_kept_features(data, find_empty);

    CHECK(some.kept == std::vector<Index>{1});
    REQUIRE(some.left_out.size() == 2);
    CHECK(some.left_out[0].column == 0);
    CHECK(some.left_out[1].column == 2);
    CHECK(none.left_out.empty());
  }
}

}  // namespace mlp::datasets
