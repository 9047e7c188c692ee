// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/known_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp::datasets {

using Names = std::vector<std::string>;
using Columns = std::vector<Index>;

namespace {

Columns find(const Names& names, const Names& expected) {
  return ColumnMatch(names).find(expected);
}

}  // namespace

TEST_SUITE("datasets/reading/known_columns") {
  TEST_CASE("finds columns by name in any order and ignores the others") {
    CHECK(find({"b", "id", "a"}, {"a", "b"}) == Columns{2, 0});
    CHECK(find({"a", ""}, {"", "a"}) == Columns{1, 0});
    CHECK(find({"a"}, {}).empty());
  }

  TEST_CASE("tells columns of one name apart by their order") {
    CHECK(find({"b", "a", "a"}, {"a", "b", "a"}) == Columns{1, 0, 2});
  }

  TEST_CASE("prefers columns without another role") {
    const Names names = {"a", "a", "b"};

    CHECK(ColumnMatch(names, {true, false, true}).find(Names{"a", "b"}) ==
          Columns{1, 2});
  }

  TEST_CASE("knows which names there are") {
    const Names names = {"a", "b"};
    const ColumnMatch match(names);

    CHECK(match.has("a"));
    CHECK(match.has_all(Names{"b", "a"}));
    CHECK_FALSE(match.has_all(Names{"a", "c"}));
  }

  TEST_CASE("refuses a name that is missing") {
    CHECK_THROWS_WITH_AS(find({"a", "c"}, {"a", "b"}),
                         "there is no column 'b'; expected the features by "
                         "their names, got 'a', 'c'",
                         DataError);
  }

  TEST_CASE("refuses another number of columns of one name") {
    CHECK_THROWS_WITH_AS(find({"a", "a"}, {"a"}),
                         "more than one column is named 'a'; expected each "
                         "feature once",
                         DataError);
    CHECK_THROWS_WITH_AS(
        find({"a"}, {"a", "a"}),
        "1 column is named 'a'; expected 2, because only their "
        "order tells them apart",
        DataError);
    CHECK_THROWS_WITH_AS(find({"a", "a", "a"}, {"a", "a"}),
                         "3 columns are named 'a'; expected 2, because only "
                         "their order tells them apart",
                         DataError);
  }

  TEST_CASE("names the file of the table") {
    const Names names = {"a"};

    CHECK_THROWS_WITH_AS(
        ColumnMatch(names).find(Names{"b"}, "f.csv"),
        "f.csv:1:1: there is no column 'b'; expected the features by their "
        "names, got 'a'",
        DataError);
  }

  TEST_CASE("a label is stored by its name, or by its index without names") {
    CHECK(label_text({"kind", 4}, true) == "kind");
    CHECK(label_text({"", 4}, false) == "4");
    CHECK(label_text({"", -1}, false).empty());
  }

  TEST_CASE("reads back the label that it stored") {
    for (const KnownLabel& label :
         {KnownLabel{"kind", -1}, KnownLabel{"4", -1}, KnownLabel{}}) {
      CHECK(parse_known_label(label_text(label, true), true) == label);
    }
    const KnownLabel index{"", 4};
    CHECK(parse_known_label(label_text(index, false), false) == index);
  }

  TEST_CASE("takes a text for the name of a label where features have none") {
    CHECK(parse_known_label("flower", false) == KnownLabel{"flower", -1});
    CHECK(parse_known_label("-1", false) == KnownLabel{"-1", -1});
  }

  TEST_CASE("says more at the end of an error about a label") {
    const LabelError error("f.csv", {1, 1}, "name it");

    CHECK(std::string(error.with_advice(": --label COL").what()) ==
          "f.csv:1:1: name it: --label COL");
  }
}

}  // namespace mlp::datasets
