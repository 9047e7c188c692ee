// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/numeric_encoding.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp {

TEST_SUITE("mlp/params/numeric_encoding") {
  TEST_CASE("parses linear, and quantiles with the default or given bins") {
    CHECK(parse_numeric_encoding("linear") == NumericEncoding{0});
    CHECK(parse_numeric_encoding("quantile") ==
          NumericEncoding{NumericEncoding::kDefaultNumBins});
    CHECK(parse_numeric_encoding("quantile:2") == NumericEncoding{2});
    CHECK(parse_numeric_encoding("quantile:256") == NumericEncoding{256});
  }

  TEST_CASE("refuses other names and numbers of bins") {
    for (const char* text :
         {"", "Linear", "linear:4", "quantile:", "quantile:1", "quantile:257",
          "quantile:2.5", "quantile:-3", "quantile:4:4", "quantiles",
          "quantile:99999999999999999999"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_numeric_encoding(text).has_value());
    }
  }

  TEST_CASE("formats what it parses") {
    for (const char* text : {"linear", "quantile:2", "quantile:48"}) {
      CHECK(format_numeric_encoding(*parse_numeric_encoding(text)) == text);
    }
  }

  TEST_CASE("describes the values of the hyper-parameter") {
    CHECK(std::string(kNumericEncodingInterval) ==
          "linear, quantile or quantile:BINS with BINS an integer >= 2 and <= "
          "256");
  }
}

}  // namespace mlp
