// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/row_names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../../../datasets/csv/layout/csv_layout.hpp"
#include "found_layout.hpp"

namespace mlp::datasets::detail {

namespace {

using Slots = std::vector<Index>;
using Texts = std::vector<std::string_view>;

using namespace datasets::testing;

}  // namespace

TEST_SUITE("datasets/csv/layout/row_names") {
  TEST_CASE("knows the names that pandas gives columns without one") {
    CHECK(is_unnamed(""));
    CHECK(is_unnamed("Unnamed: 0"));
    CHECK(is_unnamed("Unnamed: 12"));
    CHECK_FALSE(is_unnamed("Unnamed: x"));
    CHECK_FALSE(is_unnamed("Unnamed: "));
    CHECK_FALSE(is_unnamed("unnamed"));
  }

  TEST_CASE("finds columns that count from 0 or 1") {
    CHECK(counts_rows(Texts{",a\n0,5\n1,5\n2,5\n"}, ',', 0));
    CHECK(counts_rows(Texts{",a\n1,5\n2,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n2,5\n3,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n0,5\n2,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{",a\n"}, ',', 0));
  }

  TEST_CASE("finds columns that count on or begin again in each text") {
    const std::string_view first = ",a\n0,5\n1,6\n";

    CHECK(counts_rows(Texts{first, ",a\n2,5\n3,6\n"}, ',', 0));
    CHECK(counts_rows(Texts{",a\n", first, first}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{first, ",a\n5,5\n"}, ',', 0));
    CHECK_FALSE(counts_rows(Texts{first, ",a\n0,5\n2,6\n"}, ',', 0));
  }

  TEST_CASE("finds columns of different integers or texts") {
    CHECK(has_distinct_names(Texts{",a\n7,5\n3,5\n-2,5\n"}, ',', 0));
    CHECK(has_distinct_names(Texts{",a\nBob,5\nAnn,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n7,5\n7,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\nBob,5\nBob,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n0.5,5\n0.7,5\n"}, ',', 0));
    CHECK_FALSE(has_distinct_names(Texts{",a\n,5\nb,5\n"}, ',', 0));
  }

  TEST_CASE("leaves out columns without a name that name the rows") {
    for (const char* const text :
         {",a,b,c\n0,5,6,x\n1,7,8,y\n", ",a,b,c\n1,5,6,x\n2,7,8,y\n",
          ",a,b,c\n9,5,6,x\n3,7,8,y\n", ",a,b,c\nBob,5,6,x\nAnn,7,8,y\n",
          "Unnamed: 0,a,b,c\n9,5,6,x\n3,7,8,y\n",
          "a,b,c\n9,5,6,x\n3,7,8,y\n"}) {
      const CsvLayout layout = find(text);

      CHECK_MESSAGE((layout.slots == Slots{-2, 0, 1, -1}), text);
      CHECK_MESSAGE((layout.guesses.row_names == Slots{0}), text);
    }
  }

  TEST_CASE("keeps columns without a name that repeat, or stand elsewhere") {
    const CsvLayout repeats = find(",a,b,c\n1,5,6,x\n1,7,8,y\n");
    const CsvLayout behind = find("a,,b,c\n1,5,6,x\n2,7,8,y\n");

    CHECK(repeats.slots == Slots{0, 1, 2, -1});
    CHECK(repeats.guesses.row_names.empty());
    CHECK(repeats.guesses.unnamed_features == Slots{0});
    CHECK(behind.slots == Slots{0, 1, 2, -1});
    CHECK(find("a,,b,c\n1,0,6,x\n2,1,8,y\n").slots == Slots{0, -2, 1, -1});
  }

  TEST_CASE("keeps row names that an option chooses") {
    CsvOptions features;
    features.features = {"0", "1"};
    CsvOptions categories;
    categories.one_hot.columns = {"0"};
    const std::string text = ",a,b,c\n9,5,6,x\n3,7,8,y\n";

    CHECK(find(text, features).slots == Slots{0, 1, -2, -1});
    CHECK(find(text, categories).slots == Slots{0, 1, 2, -1});
    CHECK(find(text, label("0")).slots == Slots{-1, 0, 1, 2});
  }

  TEST_CASE("adds no column for a delimiter at the end of each row") {
    const CsvLayout layout = find("a,b,c,\n1,2,x,\n3,4,y,\n");

    CHECK(layout.slots == Slots{0, 1, -1, -2});
    CHECK(layout.has_trailing_delimiter);
    CHECK(layout.label == ChosenLabel{2, "c", true});
  }

  TEST_CASE("leaves a column without a name out by position as by name") {
    const std::string text = ",a,b\n0,5,6\n1,7,8\n";

    CHECK(find(text, optional(2)).slots == Slots{-2, 0, 1});
    CHECK(find(text, optional(0, {"a", "b"})).slots == Slots{-2, 0, 1});
    CHECK(find(text, optional(0, {"", "a"})).slots == Slots{0, 1, -2});
  }
}

}  // namespace mlp::datasets::detail
