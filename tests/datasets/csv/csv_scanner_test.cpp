// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_scanner.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using mlp::DataError;
using mlp::datasets::CsvField;
using mlp::datasets::CsvScanner;

namespace {

using Records = std::vector<std::vector<std::string>>;

Records scan(const std::string& text, char delimiter = ',') {
  CsvScanner scanner(text, delimiter, "f.csv");
  Records records;
  while (scanner.next_record()) {
    records.emplace_back();
    do {
      records.back().push_back(scanner.read_field().value());
    } while (!scanner.record_ended());
  }
  return records;
}

}  // namespace

TEST_SUITE("datasets/csv/csv_scanner") {
  TEST_CASE("cuts records at line ends and fields at delimiters") {
    const Records expected = {{"a", "b"}, {"1", "2"}};

    CHECK(scan("a,b\n1,2\n") == expected);
    CHECK(scan("a,b\r\n1,2\r\n") == expected);
    CHECK(scan("a,b\n1,2") == expected);
    CHECK(scan("a;b\n1;2\n", ';') == expected);
    CHECK(scan("a\tb\n1\t2\n", '\t') == expected);
  }

  TEST_CASE("gives empty fields between and before and behind delimiters") {
    CHECK(scan(",,\n") == Records{{"", "", ""}});
    CHECK(scan("1,") == Records{{"1", ""}});
    CHECK(scan("1,\r\n") == Records{{"1", ""}});
  }

  TEST_CASE("leaves out blanks around fields, in quotes or not") {
    CHECK(scan(" 1 ,\t\"a b\" , c d \n") == Records{{"1", "a b", "c d"}});
    CHECK(scan("\" a\",\"b\t\",\"  \"\n") == Records{{"a", "b", ""}});
    CHECK(scan(" 1 \t 2 \n", '\t') == Records{{"1", "2"}});
  }

  TEST_CASE("reads quoted delimiters and line ends and doubled quotes") {
    CHECK(scan("\"a,b\",\"c\nd\",\"say \"\"hi\"\"\"\n1,2,3\n") ==
          Records{{"a,b", "c\nd", "say \"hi\""}, {"1", "2", "3"}});
    CHECK(scan("\"\",\"\"\"\"") == Records{{"", "\""}});
  }

  TEST_CASE("keeps a quote in the middle of a field") {
    CHECK(scan("5\" pipe,2\n") == Records{{"5\" pipe", "2"}});
  }

  TEST_CASE("ends at empty lines behind the last record") {
    CHECK(scan("1,2\n\n \r\n\n") == Records{{"1", "2"}});
    CHECK(scan("\n\n").empty());
    CHECK(scan("").empty());
  }

  TEST_CASE("skips empty lines between records, and counts them") {
    CsvScanner scanner("\n1,2\n\n \r\n3,4\n\n", ',', "f.csv");

    while (scanner.next_record()) {
      static_cast<void>(scanner.read_field());
      static_cast<void>(scanner.read_field());
    }
    CHECK(scan("1,2\n\n \n3,4\n") == Records{{"1", "2"}, {"3", "4"}});
    CHECK(scanner.num_empty_lines() == 3);
  }

  TEST_CASE("takes CR CR LF for one line end, and a CR elsewhere for a byte") {
    CHECK(scan("1,2\r\r\n3,4\r\r\n") == Records{{"1", "2"}, {"3", "4"}});
    CHECK(scan("1,a\r\rb\n") == Records{{"1", "a\r\rb"}});
  }

  TEST_CASE("takes any number of spaces and tabs for one delimiter") {
    CHECK(scan("1  2 \t 3\n  4 5\t6  \n", ' ') ==
          Records{{"1", "2", "3"}, {"4", "5", "6"}});
    CHECK(scan("\"a b\"  \"c\"\r\n\n 1 2", ' ') ==
          Records{{"a b", "c"}, {"1", "2"}});
  }

  TEST_CASE(
      "tells line and byte of each field with line ends in quotes counted") {
    CsvScanner scanner("\"a\nb\", 7\nx,y", ',', "f.csv");
    REQUIRE(scanner.next_record());

    const CsvField first = scanner.read_field();
    const CsvField second = scanner.read_field();
    REQUIRE(scanner.next_record());

    CHECK(first.position.line == 1);
    CHECK(first.position.column == 1);
    CHECK(second.position.line == 2);
    CHECK(second.position.column == 5);
    CHECK(scanner.record_line() == 3);
  }

  TEST_CASE("reads plain numbers and leaves other fields where they are") {
    CsvScanner scanner("1.5,-2,3x,4 \n5", ',', "f.csv");
    REQUIRE(scanner.next_record());
    double values[4] = {};

    CHECK(scanner.read_numbers(values, 4) == 2);
    CHECK(values[0] == 1.5);
    CHECK(values[1] == -2.0);
    CHECK_FALSE(scanner.read_number(values[2]));
    CHECK(scanner.read_field().value() == "3x");
    CHECK_FALSE(scanner.read_number(values[3]));
    CHECK(scanner.read_field().value() == "4");
    CHECK(scanner.record_ended());
    REQUIRE(scanner.next_record());
    CHECK(scanner.read_number(values[0]));
    CHECK(scanner.record_ended());
  }

  TEST_CASE("reads runs of zeros that end anywhere") {
    for (std::size_t size = 1; size < 24; ++size) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += "0,";
      text += "07,-0,8";
      CsvScanner scanner(text, ',', "f.csv");
      REQUIRE(scanner.next_record());
      std::vector<double> values(size + 2, 5.0);

      CHECK(scanner.read_numbers(values.data(), 1) == 1);
      CHECK(scanner.read_numbers(values.data() + 1,
                                 static_cast<mlp::Index>(size + 1)) ==
            static_cast<mlp::Index>(size + 1));
      CHECK(scanner.read_field().value() == "8");
      for (std::size_t i = 0; i < size; ++i) CHECK(values[i] == 0.0);
      CHECK(values[size] == 7.0);
      CHECK(std::signbit(values[size + 1]));
    }
  }

  TEST_CASE("reads numbers with exponents and of many digits") {
    CsvScanner scanner("1e3,0.12345678901234567,inf,1e-3", ',', "f.csv");
    REQUIRE(scanner.next_record());
    double values[4] = {};

    CHECK(scanner.read_numbers(values, 4) == 2);
    CHECK(values[0] == 1000.0);
    CHECK(values[1] == 0.12345678901234567);
    CHECK_FALSE(scanner.read_number(values[2]));
    CHECK(scanner.read_field().value() == "inf");
    CHECK(scanner.read_number(values[3]));
    CHECK(values[3] == 0.001);
  }

  TEST_CASE("counts lines from the number of the first one") {
    CsvScanner scanner("1\n2", ',', "f.csv", 7);
    REQUIRE(scanner.next_record());

    static_cast<void>(scanner.read_field());

    CHECK(scanner.record_line() == 7);
    CHECK(scanner.next_line() == 8);
  }

  TEST_CASE("refuses a quote that is never closed") {
    CHECK_THROWS_WITH_AS(scan("1,2\n3,\"4\n5,6\n"),
                         "f.csv:2:3: the quote that opens here is never "
                         "closed; expected another one before the end of the "
                         "file",
                         DataError);
  }

  TEST_CASE("refuses text behind a closing quote") {
    CHECK_THROWS_WITH_AS(scan("\"a\"b,2\n"),
                         "f.csv:1:4: expected a delimiter after the closing "
                         "quote, got 'b'; double the quotes inside of a field",
                         DataError);
  }
}
