// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/decimals/shortest_decimal.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace {

std::string written(double number) {
  std::array<char, mlp::kDecimalRoom> text;
  return {text.data(), mlp::write_decimal(number, text.data())};
}

std::string written_by_library(double number) {
  std::array<char, mlp::kMostDecimalBytes> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

bool is_written_as_by_library(double number) {
  return written(number) == written_by_library(number);
}

}  // namespace

TEST_SUITE("core/decimals/shortest_decimal") {
  TEST_CASE("writes the shortest text that is read as the number") {
    CHECK(written(0.1) == "0.1");
    CHECK(written(-1.5) == "-1.5");
    CHECK(written(1.0 / 3.0) == "0.3333333333333333");
    CHECK(written(0.1 + 0.2) == "0.30000000000000004");
    CHECK(written(3.0) == "3");
    CHECK(written(0.00025) == "0.00025");
    CHECK(written(1e-4) == "1e-04");
    CHECK(written(-12345.5) == "-12345.5");
    CHECK(written(-0.0) == "-0");
  }

  TEST_CASE("writes the longest numbers within its room") {
    using Limits = std::numeric_limits<double>;
    for (const double number :
         {Limits::lowest(), -Limits::min(), -Limits::denorm_min(),
          -0.00012345678901234567, -9.8765432109876543}) {
      CAPTURE(number);
      CHECK(is_written_as_by_library(number));
    }
  }

  TEST_CASE("writes powers of two and their neighbours as the library does") {
    for (int exponent = -20; exponent <= 10; ++exponent) {
      const double power = std::ldexp(1.0, exponent);
      for (const double number :
           {power, std::nextafter(power, 0.0), std::nextafter(power, 100.0)}) {
        CAPTURE(number);
        CHECK(is_written_as_by_library(number));
        CHECK(is_written_as_by_library(-number));
      }
    }
  }

  TEST_CASE("writes short decimals as the library does") {
    int num_different = 0;
    for (int i = 1; i < 20000; ++i) {
      num_different += !is_written_as_by_library(i / 1e4);
      num_different += !is_written_as_by_library(-i / 1e6);
      num_different += !is_written_as_by_library(i * 1e-9);
    }

    CHECK(num_different == 0);
  }

  TEST_CASE("writes random numbers as the library does") {
    std::mt19937_64 random(1);
    int num_different = 0;
    for (const double range : {20.0, 1.0, 0.05, 0.0003}) {
      std::uniform_real_distribution<double> any(-range, range);
      for (int i = 0; i < 10000; ++i) {
        const double number = any(random);
        num_different += !is_written_as_by_library(number);
        const auto single = static_cast<double>(static_cast<float>(number));
        num_different += !is_written_as_by_library(single);
      }
    }
    for (int i = 0; i < 10000; ++i) {
      const auto number = std::bit_cast<double>(random());
      if (std::isfinite(number)) {
        num_different += !is_written_as_by_library(number);
      }
    }

    CHECK(num_different == 0);
  }
}
