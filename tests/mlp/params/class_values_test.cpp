// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/class_values.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mlp {

namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

}  // namespace

TEST_SUITE("mlp/params/class_values") {
  TEST_CASE("reads numbers by the names of classes") {
    CHECK(parse_named_numbers("yes=100,no=1") ==
          NamedNumbers{{"yes", 100}, {"no", 1}});
    CHECK(parse_named_numbers("\"a,b=c\"\"d\"=2,e=0.5") ==
          NamedNumbers{{"a,b=c\"d", 2}, {"e", 0.5}});
    for (const char* const text : {"", "yes", "yes=", "yes=x", "yes=1,",
                                   "yes=1,2", "\"yes=1", "a=1=2"}) {
      CHECK_FALSE(parse_named_numbers(text));
    }
  }

  TEST_CASE("gives each class its number, and the others the default") {
    CHECK(numbers_of_classes("classWeights", {{"yes", 100}}, {"no", "yes"},
                             1.0) == Numbers{1, 100});
    CHECK(numbers_of_classes("classWeights", {{"1.0", 5}}, {"0", "1"}, 1.0) ==
          Numbers{1, 5});
  }

  TEST_CASE("refuses names that are unknown, missing or given twice") {
    CHECK_THROWS_WITH_AS(
        numbers_of_classes("classWeights", {{"yess", 1}}, {"no", "yes"}, 1.0),
        "classWeights must name classes of the labels, 'no', 'yes'; got "
        "'yess'; did you mean 'yes'?",
        ParamError);
    CHECK_THROWS_WITH_AS(
        numbers_of_classes("thresholds", {{"yes", 0.5}}, {"no", "yes"}, {}),
        "thresholds must have a number for each class; got none for 'no'",
        ParamError);
    CHECK_THROWS_WITH_AS(
        numbers_of_classes("classWeights", {{"yes", 1}, {"yes", 2}},
                           {"no", "yes"}, 1.0),
        "classWeights must name each class once; got 'yes' twice", ParamError);
  }

  TEST_CASE("orders numbers by the names, integers by value") {
    CHECK(in_index_order({1, 2, 3}, {"b", "c", "a"}) == Numbers{2, 3, 1});
    CHECK(in_index_order({1, 2}, {"10", "9"}) == Numbers{2, 1});
    CHECK(in_index_order({1, 2, 3}, {"b", "a"}) == Numbers{2, 1, 3});
  }

  TEST_CASE("balances classes as scikit-learn does") {
    // 4 rows, 2 classes: 4 / (2 * 3) and 4 / (2 * 1).
    CHECK(balanced_class_weights(Vector{{3, 1}}) == Numbers{4.0 / 6.0, 2.0});
    CHECK(balanced_class_weights(Vector{{3, 0, 1}}) ==
          Numbers{4.0 / 6.0, 1.0, 2.0});
  }

  TEST_CASE("lists numbers in the order of the names") {
    CHECK(describe_class_numbers({100, 1}, {"yes", "no"}) == "no 1, yes 100");
  }
}

}  // namespace mlp
