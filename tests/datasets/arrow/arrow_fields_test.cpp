// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_fields.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

std::string csv_field(const std::string& text) {
  std::string line;
  append_csv_field(line, text);
  return line;
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_fields") {
  TEST_CASE("a column of vectors has a field for each element") {
    const auto dictionary =
        test::ArrowColumn::of<std::int8_t>("kind", "c", {std::int8_t{0}});
    dictionary->set_dictionary(test::ArrowColumn::texts("", {"a"}));
    const ArrowFile file = test::arrow_file(
        "table",
        {{test::ArrowColumn::doubles("label", {1.0}),
          test::spark_vectors("features", {3}, {{1}}, {{5.0}}), dictionary}});

    const std::vector<ArrowField> fields = arrow_fields(file);

    REQUIRE(fields.size() == 5);
    CHECK(fields[0].name == "label");
    CHECK(fields[0].element == -1);
    CHECK(fields[1].name == "features_0");
    CHECK(fields[3].name == "features_2");
    CHECK(fields[3].column == 1);
    CHECK(fields[3].element == 2);
    CHECK(fields[4].column == 2);
    CHECK(fields[4].has_dictionary);
    CHECK(csv_header(fields) ==
          "label,features_0,features_1,features_2,kind\n");
  }

  TEST_CASE("a column need not have a name") {
    const ArrowFile file =
        test::arrow_file("table", {{test::ArrowColumn::doubles("x", {1.0}),
                                    test::ArrowColumn::doubles("", {1.0})}});

    CHECK(csv_header(arrow_fields(file)) == "x,\"\"\n");
  }

  TEST_CASE("refuses a column of vectors that are all empty") {
    const ArrowFile file = test::arrow_file(
        "table", {{test::spark_vectors("features", {-1}, {{}}, {{}})}});

    CHECK_THROWS_WITH_AS(static_cast<void>(arrow_fields(file)),
                         "table: column 'features' has no vector with elements "
                         "in its first rows; leave the column out",
                         DataError);
  }

  TEST_CASE("refuses a vector of more elements than a network has inputs") {
    const ArrowFile file = test::arrow_file(
        "table", {{test::spark_vectors("features", {2000000000}, {{}}, {{}})}});

    CHECK_THROWS_WITH_AS(static_cast<void>(arrow_fields(file)),
                         "table: too many features; expected at most 1048576, "
                         "got 2000000000",
                         DataError);
  }

  TEST_CASE("texts are quoted where a reader would take them apart") {
    CHECK(csv_field("red") == "red");
    CHECK(csv_field("") == "\"\"");
    CHECK(csv_field("a,b") == "\"a,b\"");
    CHECK(csv_field("say \"hi\"") == "\"say \"\"hi\"\"\"");
    CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  }
}

}  // namespace mlp::datasets::detail
