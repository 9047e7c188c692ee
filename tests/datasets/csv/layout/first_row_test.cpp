// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/first_row.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace mlp::datasets::detail {

namespace {

FirstRow read(const std::string& text, HeaderRule header = HeaderRule::kAuto) {
  CsvScanner scanner(text, ',', "f.csv");
  REQUIRE(scanner.next_record());
  const std::string_view texts[] = {text};
  CsvOptions options;
  options.header = header;
  return read_first_row(read_texts(scanner), text, texts, CsvDialect(),
                        options);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("datasets/csv/layout/first_row") {
  TEST_CASE("adds an empty name if the header lacks that of the row names") {
    const FirstRow row = read("a,b\n1,5,6\n2,7,8\n");

    CHECK(row.cells == Texts{"", "a", "b"});
    CHECK(row.lacks_row_names);
    CHECK_FALSE(row.has_trailing_delimiter);
  }

  TEST_CASE("leaves numbers above longer rows as they are unless told") {
    CHECK(read("1,2\n3,4,5\n").cells.size() == 2);
    CHECK(read("1,2\n3,4,5\n", HeaderRule::kYes).cells.size() == 3);
    CHECK(read("a,b\nx,4,5\n", HeaderRule::kNo).cells.size() == 2);
  }

  TEST_CASE("takes a delimiter at the end of each row for no column") {
    const FirstRow both = read("a,b,\n1,2,\n3,4,\n");
    const FirstRow below = read("a,b\n1,2,\n3,4,\n");

    CHECK(both.cells == Texts{"a", "b"});
    CHECK(both.has_trailing_delimiter);
    CHECK(below.cells == Texts{"a", "b"});
    CHECK(below.has_trailing_delimiter);
    CHECK_FALSE(below.lacks_row_names);
  }

  TEST_CASE("keeps a last column that has values") {
    CHECK(read("a,b,\n1,2,\n3,4,5\n").cells == Texts{"a", "b", ""});
    CHECK_FALSE(read("a,b\n1,2,\n3,4\n").has_trailing_delimiter);
  }
}

}  // namespace mlp::datasets::detail
