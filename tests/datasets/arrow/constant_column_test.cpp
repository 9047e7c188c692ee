// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/constant_column.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../datasets/arrow/arrow_values.hpp"

namespace mlp::datasets::detail {

namespace {

/// The last of some rows as a text; "null" for a missing value.
std::string last_of(ConstantColumn& column, Index num_rows) {
  const ArrowArray& rows = column.rows(num_rows);
  const ArrowValues values(column.schema(), rows, 0);
  if (rows.length != num_rows) return "another length";
  if (values.is_null(num_rows - 1)) return "null";
  std::string text;
  values.append_text(text, num_rows - 1);
  return text;
}

}  // namespace

TEST_SUITE("datasets/arrow/constant_column") {
  TEST_CASE(
      "gives integers, and short and long texts, for any number of rows") {
    const std::string long_text = "a text of more than twelve bytes";
    ConstantColumn integer("n", "-7", true);
    ConstantColumn few("s", "twelve bytes", false);
    ConstantColumn many("t", long_text, false);

    for (const Index num_rows : {1, 8, 9, 1000, 5}) {
      CHECK(last_of(integer, num_rows) == "-7");
      CHECK(last_of(few, num_rows) == "twelve bytes");
      CHECK(last_of(many, num_rows) == long_text);
    }
    CHECK(std::string(integer.schema().name) == "n");
  }

  TEST_CASE("gives missing values of both types") {
    ConstantColumn integer("n", std::nullopt, true);
    ConstantColumn text("s", std::nullopt, false);

    for (const Index num_rows : {1, 100}) {
      CHECK(last_of(integer, num_rows) == "null");
      CHECK(last_of(text, num_rows) == "null");
    }
  }
}

}  // namespace mlp::datasets::detail
