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

/// Returns what is wrong with the first row; empty for names of columns and data.
std::string title_error(const std::string& text) try {
  CsvScanner scanner(text, sniff_delimiter(text), "f.csv");
  REQUIRE(scanner.next_record());
  check_no_title(read_texts(scanner), text, "f.csv");
  return "";
} catch (const DataError& error) {
  return error.what();
}

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

  TEST_CASE("refuses a title above the names of the columns") {
    const auto message = [](int line) {
      return "f.csv:1:1: the first line is a title, 'Sales report'; expected "
             "the names of the columns, which are in line " +
             std::to_string(line) + "; remove the lines above";
    };

    CHECK(title_error("Sales report\na,b,kind\n1,2,x\n") == message(2));
    CHECK(title_error("Sales report,,\na,b,kind\n1,2,x\n") == message(2));
    CHECK(title_error("Sales report\r\n\r\na;kind\r\n3;y\r\n") == message(3));
    CHECK(title_error("Sales report\nof all regions\n,,\na,kind\n3,y\n") ==
          message(4));
  }

  TEST_CASE("takes other first rows for no titles") {
    CHECK(title_error("model\nAudi A4\nBMW 3\n").empty());
    CHECK(title_error("city\nNew York\nSan Francisco\nArea 51\n").empty());
    CHECK(title_error("a,b,kind\n1,2,x\n").empty());
    CHECK(title_error("kind\na\nb\n").empty());
    CHECK(title_error("kind\nr1,a\nr2,b\n").empty());
    CHECK(title_error(",b\nx,1\ny,2\n").empty());
    CHECK(title_error("17\na,b\n1,2\n").empty());
  }

  TEST_CASE("keeps a last column that has values") {
    CHECK(read("a,b,\n1,2,\n3,4,5\n").cells == Texts{"a", "b", ""});
    CHECK_FALSE(read("a,b\n1,2,\n3,4\n").has_trailing_delimiter);
  }
}

}  // namespace mlp::datasets::detail
