// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_columns.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

using test::ArrowColumn;

}  // namespace

TEST_SUITE("datasets/arrow/arrow_columns") {
  TEST_CASE("numbers are copied, and the others become texts") {
    CsvOptions options = table_options({});
    options.ignored = {"left_out"};
    options.kept = {"x"};
    const std::vector<ArrowFile> files{test::arrow_file(
        "table",
        {{ArrowColumn::doubles("left_out", {1.0}),
          ArrowColumn::doubles("x", {1.0}), ArrowColumn::texts("kind", {"a"}),
          ArrowColumn::doubles("y", {1.0})}})};

    const ArrowColumns columns(files, "table", options);

    CHECK(columns.needed == std::vector<Index>{1, 2, 3});
    REQUIRE(columns.numbers.size() == 1);
    CHECK(columns.numbers[0].field == 1);
    CHECK(columns.numbers[0].slot == 0);
    CHECK(columns.texts.columns == std::vector<Index>{1, 2, 3});
    CHECK(columns.texts.layout.slots ==
          std::vector<Index>{kIgnoredSlot, 1, kLabelSlot});
    CHECK(columns.texts.layout.kept == std::vector<Index>{0});
    CHECK(columns.texts.layout.label->column == 2);
  }

  TEST_CASE("a column that has texts in one file is one of texts in all") {
    const std::vector<ArrowFile> files{
        test::arrow_file("a", {{ArrowColumn::doubles("x", {1.0}),
                                ArrowColumn::doubles("y", {1.0})}}),
        test::arrow_file("b", {{ArrowColumn::texts("x", {"2"}),
                                ArrowColumn::doubles("y", {1.0})}})};

    const ArrowColumns columns(files, "both", table_options({}));

    CHECK(columns.numbers.empty());
    CHECK(columns.texts.columns == std::vector<Index>{0, 1});
  }

  TEST_CASE("a dictionary is a column of categories where texts may be") {
    const auto column =
        ArrowColumn::of<std::int8_t>("kind", "c", {std::int8_t{0}});
    column->set_dictionary(ArrowColumn::of<std::int32_t>("", "i", {7}));
    const std::vector<ArrowFile> files{test::arrow_file(
        "table", {{column, ArrowColumn::doubles("y", {1.0})}})};
    CsvOptions options = table_options({});

    CHECK(ArrowColumns(files, "table", options).layout.categories.empty());
    options.one_hot.has_dictionaries = true;
    CHECK(ArrowColumns(files, "table", options).layout.categories ==
          std::vector<Index>{0});
    options.one_hot = {true, {}, false};
    CHECK(ArrowColumns(files, "table", options).layout.categories ==
          std::vector<Index>{0});
  }

  TEST_CASE("the default label is the last column that is no vector") {
    const auto vectors = test::spark_vectors("v", {-1}, {{}}, {{1, 2}});
    const std::vector<ArrowFile> files{test::arrow_file(
        "table", {{ArrowColumn::doubles("x", {1.0}),
                   ArrowColumn::doubles("y", {1.0}), vectors}})};

    const ArrowColumns columns(files, "table", table_options({}));

    CHECK(columns.layout.label->column == 1);
    CHECK(columns.vectors.front().elements.size() == 2);
  }

  TEST_CASE("an index counts a vector as one column") {
    const auto vectors = test::spark_vectors("v", {-1}, {{}}, {{1, 2}});
    const std::vector<ArrowFile> files{
        test::arrow_file("table", {{ArrowColumn::doubles("x", {1.0}), vectors,
                                    ArrowColumn::doubles("z", {1.0}),
                                    ArrowColumn::doubles("y", {1.0})}})};
    CsvOptions options = table_options({});
    options.label = "-1";
    options.ignored = {"1"};
    CHECK(ArrowColumns(files, "table", options).layout.slots ==
          std::vector<Index>{0, kIgnoredSlot, kIgnoredSlot, 1, kLabelSlot});

    options.label = "2";
    options.ignored = {"3"};
    const CsvLayout layout = ArrowColumns(files, "table", options).layout;

    CHECK(layout.slots ==
          std::vector<Index>{0, 1, 2, kLabelSlot, kIgnoredSlot});
    CHECK(layout.label_of_file()->column == 2);
  }

  TEST_CASE("a column without a name can be left out by its index") {
    const std::vector<ArrowFile> files{test::arrow_file(
        "table",
        {{ArrowColumn::doubles("", {1.0}), ArrowColumn::doubles("x", {1.0}),
          ArrowColumn::doubles("y", {1.0})}})};
    CsvOptions options = table_options({});
    CHECK(
        ArrowColumns(files, "table", options).layout.guesses.unnamed_features ==
        std::vector<Index>{0});

    options.ignored = {"0"};

    CHECK(ArrowColumns(files, "table", options).layout.slots ==
          std::vector<Index>{kIgnoredSlot, 0, kLabelSlot});
  }

  TEST_CASE("dates can be kept, but are no features") {
    const auto day = ArrowColumn::of<std::int32_t>("day", "tdD", {1});
    const std::vector<ArrowFile> files{
        test::arrow_file("table", {{day, ArrowColumn::doubles("x", {1.0}),
                                    ArrowColumn::doubles("y", {1.0})}})};
    CsvOptions options = table_options({});

    CHECK_THROWS_AS(ArrowColumns(files, "table", options).require_types(),
                    ColumnError);
    options.ignored = {"day"};
    options.kept = {"day"};
    const ArrowColumns columns(files, "table", options);
    CHECK_NOTHROW(columns.require_types());
    CHECK(columns.texts.columns.front() == 0);
  }

  TEST_CASE("errors lose the places of the text that stands for the table") {
    const auto fail = [] { throw DataError("t", FilePosition{3, 7}, "wrong"); };

    CHECK_THROWS_WITH_AS(with_places_of_rows(true, fail), "t:3: wrong",
                         DataError);
    CHECK_THROWS_WITH_AS(with_places_of_rows(false, fail), "t: wrong",
                         DataError);
    CHECK_THROWS_AS(with_places_of_rows(
                        true,
                        [] {
                          throw ColumnError("t", FilePosition{3, 7}, 2, "x");
                        }),
                    ColumnError);
  }
}

}  // namespace mlp::datasets::detail
