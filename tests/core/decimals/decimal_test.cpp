// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/decimals/decimal.hpp"

#include <doctest/doctest.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using mlp::round_decimal;
using mlp::detail::kMostRoundedDecimals;

namespace {

/// What the standard library makes of digits / 10^num_decimals.
double rounded_by_library(std::uint64_t digits, unsigned num_decimals) {
  const std::string text =
      std::to_string(digits) + "e-" + std::to_string(num_decimals);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

TEST_SUITE("core/decimals/decimal") {
  TEST_CASE("divides digits by a power of ten") {
    CHECK(round_decimal(125, 2) == 1.25);
    CHECK(round_decimal(1, 1) == 0.1);
    CHECK(round_decimal(12345678901234567, 17) == 0.12345678901234567);
    CHECK(round_decimal(0, 5) == 0.0);
  }

  TEST_CASE("rounds numbers halfway between two others to the even one") {
    // 2^53 + 1 and 2^53 + 3, with decimals that are zeros.
    CHECK(round_decimal(90071992547409930, 1) == 9007199254740992.0);
    CHECK(round_decimal(90071992547409950, 1) == 9007199254740996.0);
    CHECK(round_decimal(9007199254740993000, 3) == 9007199254740992.0);
    CHECK(round_decimal(9007199254740993001, 3) == 9007199254740994.0);
    // 2^52 + 1/2 and 2^52 + 3/2.
    CHECK(round_decimal(45035996273704965, 1) == 4503599627370496.0);
    CHECK(round_decimal(45035996273704975, 1) == 4503599627370498.0);
  }

  TEST_CASE("carries a mantissa of ones into the exponent") {
    CHECK(round_decimal(std::numeric_limits<std::uint64_t>::max(), 1) ==
          rounded_by_library(std::numeric_limits<std::uint64_t>::max(), 1));
    CHECK(round_decimal(9999999999999999999u, 19) == 1.0);
  }

  TEST_CASE("rounds as the standard library does") {
    constexpr int kNumbers = 20000;
    std::mt19937_64 random(1);

    int num_different = 0;
    for (int i = 0; i < kNumbers; ++i) {
      const std::uint64_t digits = random() >> random() % 64;
      const auto num_decimals =
          static_cast<unsigned>(1 + random() % kMostRoundedDecimals);
      num_different += round_decimal(digits, num_decimals) !=
                       rounded_by_library(digits, num_decimals);
    }

    CHECK(num_different == 0);
  }
}
