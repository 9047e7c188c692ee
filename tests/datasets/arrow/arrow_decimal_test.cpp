// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_decimal.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mlp::datasets::detail {

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string text_of(const Bytes& integer, int scale) {
  std::string text;
  append_decimal(text, integer, scale);
  return text;
}

}  // namespace

TEST_SUITE("datasets/arrow/arrow_decimal") {
  TEST_CASE("integers of any size have all their digits") {
    Bytes most(32, 0xFF);
    most.back() = 0x7F;
    Bytes least(32, 0);
    least.back() = 0x80;
    // 2^255 has 77 digits.
    const std::string start = "57896044618658097711785492504343953926634";
    const std::string rest = "99233282028201972879200395656481996";

    CHECK(integer_digits(most) == start + rest + "7");
    CHECK(integer_digits(least) == '-' + start + rest + "8");
    CHECK(integer_digits(Bytes(32, 0)) == "0");
    CHECK(integer_digits(Bytes(32, 0xFF)) == "-1");
  }

  TEST_CASE("the scale places the point") {
    CHECK(text_of({57, 48, 0, 0}, 2) == "123.45");
    CHECK(text_of({0xF9, 0xFF}, 2) == "-0.07");
    CHECK(text_of({0}, 2) == "0.00");
    CHECK(text_of({12}, 0) == "12");
    CHECK(text_of({12}, -3) == "12000");
    CHECK(text_of({0}, -3) == "0");
  }
}

}  // namespace mlp::datasets::detail
