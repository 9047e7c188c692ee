// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_time.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace mlp::datasets::detail {

namespace {

std::string date_of(std::int64_t days) {
  std::string text;
  return append_date(text, days) ? text : "none";
}

std::string time_of(std::int64_t count, int num_decimals) {
  std::string text;
  return append_time(text, count, num_decimals) ? text : "none";
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_time") {
  TEST_CASE("dates have four digits of a year, before 1970 too") {
    CHECK(date_of(0) == "1970-01-01");
    CHECK(date_of(-1) == "1969-12-31");
    CHECK(date_of(11016) == "2000-02-29");  // 30 * 365 + 7 leap days + 59
    CHECK(date_of(2932896) == "9999-12-31");
    CHECK(date_of(-719528) == "0000-01-01");
  }

  TEST_CASE("refuses years with other numbers of digits") {
    CHECK(date_of(2932897) == "none");
    CHECK(date_of(-719529) == "none");
    CHECK(time_of(std::numeric_limits<std::int64_t>::max(), 0) == "none");
    CHECK(time_of(std::numeric_limits<std::int64_t>::min(), 0) == "none");
  }

  TEST_CASE("timestamps have the decimals of their unit") {
    CHECK(time_of(86399, 0) == "1970-01-01 23:59:59");
    CHECK(time_of(-1, 3) == "1969-12-31 23:59:59.999");
    CHECK(time_of(3723000004, 6) == "1970-01-01 01:02:03.000004");
    CHECK(time_of(1, 9) == "1970-01-01 00:00:00.000000001");
    CHECK(time_of(std::numeric_limits<std::int64_t>::min(), 9) ==
          "1677-09-21 00:12:43.145224192");
  }
}

}  // namespace mlp::datasets::detail
