// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/folder_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../thrown_message.hpp"

namespace mlp::datasets {

TEST_SUITE("datasets/reading/folder_columns") {
  TEST_CASE("a name has a column and its value, with %XX for one byte") {
    const auto plain = detail::read_folder_name("day=2024-01-01", "p");
    const auto escaped = detail::read_folder_name("a%3Db=c%2Fd%zz%4", "p");

    CHECK(plain == FolderValue{"day", "2024-01-01"});
    CHECK(escaped == FolderValue{"a=b", "c/d%zz%4"});
    CHECK(detail::read_folder_name("x=1=2", "p") == FolderValue{"x", "1=2"});
    CHECK_FALSE(detail::read_folder_name("part-0", "p").has_value());
  }

  TEST_CASE("the default partition of Hive is a missing value") {
    const auto value =
        detail::read_folder_name("day=__HIVE_DEFAULT_PARTITION__", "p");

    REQUIRE(value.has_value());
    CHECK_FALSE(value->text.has_value());
  }

  TEST_CASE("refuses a folder without a name or a value") {
    CHECK(test::thrown_message<DataError>([] {
            static_cast<void>(detail::read_folder_name("=1", "a/=1"));
          }) ==
          "a/=1: is a folder without a name; expected name=value; rename "
          "it");
    CHECK(test::thrown_message<DataError>([] {
            static_cast<void>(detail::read_folder_name("day=", "a/day="));
          }) ==
          "a/day=: is a folder without a value; expected name=value; rename "
          "it");
  }

  TEST_CASE("writes integers in their usual form if all values are integers") {
    FolderColumns columns{{"a", "b"},
                          {{"01", "01"}, {std::nullopt, "x"}, {"-2", "3"}}};

    detail::normalize_integers(columns);

    CHECK(columns.are_integers(0));
    CHECK_FALSE(columns.are_integers(1));
    CHECK(columns.values[0][0] == "1");
    CHECK(columns.values[2][0] == "-2");
    CHECK(columns.values[0][1] == "01");
  }
}

}  // namespace mlp::datasets
