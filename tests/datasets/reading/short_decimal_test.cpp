// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/short_decimal.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>

#include "../../../core/number_text.hpp"

using mlp::parse_double;
using mlp::datasets::detail::read_long_decimal;
using mlp::datasets::detail::read_short_decimal;

namespace {

/// How many bytes were read; -1 where the text is left to others.
std::ptrdiff_t read_length(const std::string& text, double& value) {
  const char* const end = text.data() + text.size();
  const char* const next = read_short_decimal(text.data(), end, value);
  return next == nullptr ? -1 : next - text.data();
}

/// A random sign, digits and point.
std::string random_decimal(std::mt19937_64& random) {
  std::string text = random() % 2 == 0 ? "-" : "";
  for (auto i = random() % 12; i > 0; --i) {
    text += static_cast<char>('0' + random() % 10);
  }
  if (random() % 4 != 0) text += '.';
  for (auto i = random() % 12; i > 0; --i) {
    text += static_cast<char>('0' + random() % 10);
  }
  return text;
}

}  // namespace

TEST_SUITE("datasets/reading/short_decimal") {
  TEST_CASE("reads a number and stops behind it") {
    double value = 0.0;

    CHECK(read_length("-12.375,4", value) == 7);
    CHECK(value == -12.375);
    CHECK(read_length("5", value) == 1);
    CHECK(value == 5.0);
    CHECK(read_length(".5e3", value) == 2);
    CHECK(value == 0.5);
  }

  TEST_CASE("keeps the sign of zero") {
    double value = 1.0;

    CHECK(read_length("-0.0", value) == 4);
    CHECK(std::bit_cast<std::uint64_t>(value) ==
          std::bit_cast<std::uint64_t>(-0.0));
  }

  TEST_CASE("leaves texts without a digit to others") {
    double value = 0.0;

    for (const char* const text : {"", "-", ".", "-.", "x", "+1", "nan", ","}) {
      CHECK(read_length(text, value) == -1);
    }
  }

  TEST_CASE("leaves numbers of more than 53 bits or 19 digits to others") {
    double value = 0.0;

    CHECK(read_length("9007199254740992", value) == 16);
    CHECK(value == 0x1p53);
    CHECK(read_length("9007199254740993", value) == -1);
    CHECK(read_length("0.0000000000000000001", value) == -1);
    CHECK(read_length("18446744073709551617", value) == -1);
    CHECK(read_length("99999999999999999999999999", value) == -1);
  }

  TEST_CASE(
      "rounds every number near and far from the end as from_chars does") {
    std::mt19937_64 random(1);
    for (const std::string padding :
         {"", ",x1.5e-7890123456789012345678901234567890"}) {
      int num_read = 0;
      for (int i = 0; i < 40000; ++i) {
        const std::string text = random_decimal(random);
        double value = 0.0;
        const auto length = read_length(text + padding, value);
        if (length < 0) continue;
        REQUIRE(length == static_cast<std::ptrdiff_t>(text.size()));
        const auto expected = parse_double(text);
        REQUIRE(expected.has_value());
        CHECK(std::bit_cast<std::uint64_t>(value) ==
              std::bit_cast<std::uint64_t>(*expected));
        ++num_read;
      }

      CHECK(num_read > 20000);
    }
  }

  TEST_CASE("reads every number of up to 15 bytes far from the end") {
    const std::string digits = "987654321098765";

    for (std::size_t size = 1; size <= digits.size(); ++size) {
      for (std::size_t point = 0; point <= size; ++point) {
        std::string text = digits.substr(0, size);
        if (point < size) text[point] = '.';
        if (text == ".") continue;
        double value = 0.0;
        CHECK(read_length(text + std::string(24, ';'), value) ==
              static_cast<std::ptrdiff_t>(size));
        CHECK(value == parse_double(text));
      }
    }
  }

  TEST_CASE("leaves texts that are no short numbers to others everywhere") {
    double value = 0.0;

    for (const char* const text :
         {"-,", ".,", "-.,", "--1,", "+1,", ",1", "12345678901234567890,",
          "0.12345678901234567,", "-.-", "e5"}) {
      CHECK(read_length(text + std::string(24, '0'), value) == -1);
    }
    CHECK(read_length("1-2" + std::string(24, '0'), value) == 1);
    CHECK(read_length("1.2.3" + std::string(24, '0'), value) == 3);
  }

  TEST_CASE("reads long numbers and leaves those that are not finite") {
    const std::string text = "-0.12345678901234567e2,";
    const char* const end = text.data() + text.size();
    double value = 0.0;

    CHECK(read_long_decimal(text.data(), end, value) == end - 1);
    CHECK(value == -12.345678901234567);
    for (const std::string odd : {"", "x", "+1", "nan", "inf", "1e400"}) {
      CHECK(read_long_decimal(odd.data(), odd.data() + odd.size(), value) ==
            nullptr);
    }
  }
}
