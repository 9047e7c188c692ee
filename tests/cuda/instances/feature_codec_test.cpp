// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/instances/feature_codec.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace {

using mlp::Index;
using mlp::cuda::encode;
using mlp::cuda::find_byte_scale;

/// All bytes times a scale.
std::vector<double> multiples(double scale) {
  std::vector<double> numbers;
  for (int byte = 0; byte < 256; ++byte) numbers.push_back(byte * scale);
  return numbers;
}

std::optional<double> scale_of(const std::vector<double>& numbers) {
  return find_byte_scale(numbers.data(), static_cast<Index>(numbers.size()));
}

TEST_SUITE("cuda/instances/feature_codec") {
  TEST_CASE("finds the scale of whole numbers, of shares and of others") {
    CHECK(scale_of(multiples(1.0)) == 1.0);
    CHECK(scale_of(multiples(1.0 / 255.0)) == 1.0 / 255.0);
    CHECK(scale_of(multiples(0.125)) == 0.125);
    CHECK(scale_of({0.0, 0.0}) == 1.0);
  }

  TEST_CASE("finds none if a bit would change") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double odd : {0.5, -1.0, 256.0, -0.0, nan, 1.0 + 1e-15}) {
      std::vector<double> numbers = multiples(1.0);
      numbers.push_back(odd);

      CAPTURE(odd);
      CHECK(!scale_of(numbers));
    }
  }

  TEST_CASE("stores bytes that stand for the same bits") {
    for (const double scale : {1.0, 1.0 / 255.0, 0.125, 3.7}) {
      const std::vector<double> numbers = multiples(scale);
      std::vector<std::uint8_t> bytes(numbers.size());

      encode(numbers.data(), 256, scale, bytes.data());

      for (std::size_t i = 0; i < bytes.size(); ++i) {
        CHECK(std::bit_cast<std::uint64_t>(bytes[i] * scale) ==
              std::bit_cast<std::uint64_t>(numbers[i]));
      }
    }
  }

  TEST_CASE("rounds numbers to the type of factors") {
    const std::vector<double> numbers = {1.0 / 3.0, -2.0};
    std::vector<float> floats(2);
    std::vector<mlp::cuda::BFloat16> rounded(2);

    encode(numbers.data(), 2, 1.0, floats.data());
    encode(numbers.data(), 2, 1.0, rounded.data());

    CHECK(floats == std::vector<float>{1.0F / 3.0F, -2.0F});
    CHECK(__bfloat162float(rounded[0]) == 0.333984375F);
    CHECK(__bfloat162float(rounded[1]) == -2.0F);
  }
}

}  // namespace
