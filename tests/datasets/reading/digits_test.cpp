// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/digits.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace mlp::datasets::detail {

TEST_SUITE("datasets/reading/digits") {
  TEST_CASE("loads the first byte as the lowest one") {
    CHECK(load_8_bytes("\1\2\3\4\5\6\7\x8") == 0x0807060504030201);
  }

  TEST_CASE("tells digits from every other byte at every place") {
    for (int code = 0; code < 256; ++code) {
      const bool is_digit = code >= '0' && code <= '9';
      for (unsigned i = 0; i < 16; ++i) {
        std::string bytes(16, '7');
        bytes[i] = static_cast<char>(code);
        CHECK(find_non_digits(bytes.data()) == (is_digit ? 0u : 1u << i));
      }
    }
  }

  TEST_CASE("reads none to eight digits and nothing behind them") {
    const std::uint64_t word = load_8_bytes("12345678");
    const std::uint64_t dirty = load_8_bytes("90,\xFFx\n.-");

    CHECK(word_value(word, 0) == 0);
    CHECK(word_value(word, 1) == 1);
    CHECK(word_value(word, 5) == 12345);
    CHECK(word_value(word, 8) == 12345678);
    CHECK(word_value(load_8_bytes("99999999"), 8) == 99999999);
    CHECK(word_value(dirty, 2) == 90);
  }

  TEST_CASE("leaves the point out wherever it is") {
    CHECK(digits_value_around_point(".12345678", 0, 8) == 12345678);
    CHECK(digits_value_around_point("123.45678", 3, 8) == 12345678);
    CHECK(digits_value_around_point("1234567.8", 7, 8) == 12345678);
    CHECK(digits_value_around_point("12345678.", 8, 8) == 12345678);
    CHECK(digits_value_around_point("1.2,34567", 1, 2) == 12);
    CHECK(digits_value_around_point("5.,------", 1, 1) == 5);
  }

  TEST_CASE("appends up to sixteen digits") {
    const char* const digits = "1234567890123456";

    CHECK(append_digits(7, digits, 0) == 7);
    CHECK(append_digits(7, digits, 3) == 7123);
    CHECK(append_digits(7, digits, 8) == 712345678);
    CHECK(append_digits(7, digits, 9) == 7123456789);
    CHECK(append_digits(0, digits, 16) == 1234567890123456);
  }
}

}  // namespace mlp::datasets::detail
