// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/number_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../core/spark_random.hpp"
#include "../../core/types.hpp"

namespace mlp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_SUITE("core/number_text") {
  TEST_CASE("reads decimal numbers exactly rounded") {
    CHECK(parse_double("0.1") == 0.1);
    CHECK(parse_double("-2.5e-3") == -2.5e-3);
    CHECK(parse_double("+7") == 7.0);
    CHECK(parse_double("5.") == 5.0);
    CHECK(parse_double(".5") == 0.5);
    CHECK(parse_double("1E2") == 100.0);
    CHECK(parse_double("4.9406564584124654e-324") ==
          std::numeric_limits<double>::denorm_min());
    // Halfway between 2^53 and the next double: to even.
    CHECK(parse_double("9007199254740993") == 9007199254740992.0);
  }

  TEST_CASE("reads what is too small as zero of the same sign") {
    for (const char* text : {"1e-400", "0.1e-399", "1e-99999999999999999999",
                             "1e-9223372036854775808"}) {
      CAPTURE(text);
      CHECK(parse_double(text) == 0.0);
    }
    CHECK(std::signbit(*parse_double("-1e-400")));
    CHECK(parse_double("0." + std::string(400, '0') + "1") == 0.0);
    CHECK(parse_double("1000e-403") == 0.0);
  }

  TEST_CASE("refuses what is too large however it is written") {
    for (const char* text :
         {"1e400", "-1e400", "1e+400", "0.001e400", "1e309",
          "1e99999999999999999999", "1e9223372036854775807"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_double(text).has_value());
    }
    CHECK_FALSE(parse_double("1" + std::string(400, '0')).has_value());
  }

  TEST_CASE("reads a zero whatever its exponent") {
    CHECK(parse_double("0e400") == 0.0);
    CHECK(parse_double("0e99999999999999999999") == 0.0);
    CHECK(parse_double("-0.0") == 0.0);
    CHECK(std::signbit(*parse_double("-0.0")));
  }

  TEST_CASE("refuses text that is no finite decimal number") {
    for (const char* text :
         {"",    "+",    "-",        ".",    "e5",    "1e",   "nan", "NaN",
          "inf", "-inf", "Infinity", "0x10", "0x1p3", "1,5",  " 1",  "1 ",
          "1x",  "+-1",  "++1",      "--1",  "1e5.0", "1_000"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_double(text).has_value());
    }
  }

  TEST_CASE("reads integers up to both ends of int64") {
    CHECK(parse_int("0") == 0);
    CHECK(parse_int("+12") == 12);
    CHECK(parse_int("-012") == -12);
    CHECK(parse_int("9223372036854775807") ==
          std::numeric_limits<std::int64_t>::max());
    CHECK(parse_int("-9223372036854775808") ==
          std::numeric_limits<std::int64_t>::min());
  }

  TEST_CASE("refuses text that is no integer of 64 bits") {
    for (const char* text :
         {"", "+", "-", "1.0", "1e3", "0x1", " 1", "1 ", "+-1", "++1",
          "9223372036854775808", "-9223372036854775809", "nan"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_int(text).has_value());
    }
  }

  TEST_CASE("writes the shortest text") {
    CHECK(format_double(0.1) == "0.1");
    CHECK(format_double(-3.0) == "-3");
    CHECK(format_double(-0.0) == "-0");
    CHECK(format_double(1e-6) == "1e-06");
    CHECK(format_double(1.0 / 3.0) == "0.3333333333333333");
  }

  TEST_CASE("writes NaN and the infinities as Java does") {
    CHECK(format_double(std::nan("")) == "NaN");
    CHECK(format_double(-std::nan("")) == "NaN");
    CHECK(format_double(kInfinity) == "Infinity");
    CHECK(format_double(-kInfinity) == "-Infinity");
  }

  TEST_CASE("appends and leaves what was there") {
    std::string text = "tol=";
    append_double(text, 0.5);

    CHECK(text == "tol=0.5");
  }

  TEST_CASE("reads back every number that it wrote") {
    SparkRandom random(5);
    for (int i = 0; i < 500; ++i) {
      const int exponent = static_cast<int>(2000.0 * random.next_double());
      const double value =
          std::ldexp(random.next_double() - 0.5, exponent - 1000);
      CHECK(parse_double(format_double(value)) == value);
    }
    for (const double value : {std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::lowest(),
                               std::numeric_limits<double>::min(),
                               std::numeric_limits<double>::denorm_min()}) {
      CHECK(parse_double(format_double(value)) == value);
    }
  }

  TEST_CASE("writes lists with brackets and commas") {
    CHECK(format_list(std::vector<double>{}) == "[]");
    CHECK(format_list(std::vector<double>{0.5}) == "[0.5]");
    CHECK(format_list(std::array<double, 3>{1.0, -2.5, kInfinity}) ==
          "[1, -2.5, Infinity]");
  }

  TEST_CASE("writes integers of a list with all their digits") {
    CHECK(format_list(std::vector<Index>{100000, 9007199254740993}) ==
          "[100000, 9007199254740993]");
  }
}

}  // namespace mlp
