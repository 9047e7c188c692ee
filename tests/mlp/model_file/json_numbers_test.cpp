// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_numbers.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using mlp::Index;
using mlp::Vector;
using namespace mlp::detail;

namespace {

/// What follows a number in a long array.
const std::string kBehind = ",0.25,-1234567890.1234567890123456789";

std::uint64_t bits_of(double number) {
  return std::bit_cast<std::uint64_t>(number);
}

/// Reads a number of an array and compares it with the standard library.
bool is_read_as_by_library(const std::string& text) {
  double number = 0.0;
  double expected = 0.0;
  const std::size_t size = read_json_number(text + kBehind, number);
  std::from_chars(text.data(), text.data() + text.size(), expected);
  return size == text.size() && bits_of(number) == bits_of(expected);
}

/// Digits behind "0." or "d.", some of them leading zeros.
std::string random_decimal(std::mt19937_64& random) {
  const auto digit = [&] { return static_cast<char>('0' + random() % 10); };
  std::string text = random() % 2 == 0 ? "" : "-";
  text += random() % 4 == 0 ? digit() : '0';
  text += '.';
  const std::size_t num_zeros = random() % 3 == 0 ? random() % 8 : 0;
  const std::size_t num_decimals = 1 + random() % 30;
  for (std::size_t i = 0; i < num_decimals; ++i) {
    text += i < num_zeros ? '0' : digit();
  }
  return text;
}

}  // namespace

TEST_SUITE("mlp/model_file/json_numbers") {
  TEST_CASE("reads numbers of all forms") {
    for (const char* text : {"0",
                             "0.0",
                             "-0.0",
                             "1",
                             "-12",
                             "12.5",
                             "-0.1",
                             "9.75",
                             "0.30000001",
                             "1e5",
                             "1.5e-7",
                             "-1.25E+3",
                             "0.00012345678901234567",
                             "1.7976931348623157e308",
                             "0.1234567890123456789012345678901234567",
                             "9007199254740993",
                             "9.1234567890123456789",
                             "0.0000000000000000001",
                             "123456789.123456789",
                             "0.123456789012345678901e-3"}) {
      CAPTURE(text);
      CHECK(is_read_as_by_library(text));
    }
  }

  TEST_CASE("reads random decimals as the standard library does") {
    constexpr int kNumbers = 20000;
    std::mt19937_64 random(1);

    int num_different = 0;
    for (int i = 0; i < kNumbers; ++i) {
      num_different += !is_read_as_by_library(random_decimal(random));
    }

    CHECK(num_different == 0);
  }

  TEST_CASE("refuses what the parser may refuse or read otherwise") {
    for (const char* text :
         {"", "-", "-0", "01", "01.5", "-01.5", ".5", "1.", "1.e5", "0.x", "+1",
          "nan", "inf", "1e400", "1e-400"}) {
      CAPTURE(text);
      double number = 0.0;
      CHECK(read_json_number(text, number) == 0);
      CHECK(read_json_number(text + kBehind, number) == 0);
    }
  }

  TEST_CASE("leaves an exponent that is not complete to the caller") {
    double number = 0.0;

    CHECK(read_json_number("0.5e" + kBehind, number) == 3);
    CHECK(read_json_number("0.5e+" + kBehind, number) == 3);
  }

  TEST_CASE("reads a list on all processors to the last bit") {
    constexpr Index kNumbers = 100'000;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> any(-2.0, 2.0);
    Vector numbers(kNumbers);
    std::string text;
    for (double& number : numbers) {
      number = any(random);
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
      if (!text.empty()) text += random() % 8 == 0 ? " ,\n" : ",";
      text.append(buffer, end.ptr);
    }

    const auto read = read_number_list(text);

    REQUIRE(read);
    CHECK(*read == numbers);
  }

  TEST_CASE("refuses a list with one wrong item anywhere") {
    for (const std::size_t num_before : {0u, 3u, 200'000u}) {
      std::string before;
      for (std::size_t i = 0; i < num_before; ++i) before += "0.5,";
      for (const char* wrong : {"", " ", "x", "1 2", "0.5,", ",0.5", "[1]"}) {
        CAPTURE(wrong);
        CHECK_FALSE(read_number_list(before + wrong));
      }
      CHECK(read_number_list(before + " 1\n"));
    }
  }

  TEST_CASE("allocates nothing for a text of commas alone") {
    CHECK_FALSE(read_number_list(std::string(1'000'000, ',')));
  }

  TEST_CASE("counts commas in texts of any size") {
    for (const std::size_t size : {0u, 1u, 127u, 128u, 129u, 1000u}) {
      CHECK(count_commas(std::string(size, ',')) == static_cast<Index>(size));
      CHECK(count_commas(std::string(size, '0')) == 0);
    }
  }
}
