// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/number_types.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp::cuda {

namespace {

TEST_SUITE("cuda/kernels/number_types") {
  TEST_CASE("keeps numbers that both types have") {
    CHECK(number_cast<double>(number_cast<BFloat16>(-1.5)) == -1.5);
    CHECK(number_cast<float>(number_cast<BFloat16>(0x1.0p100F)) == 0x1.0p100F);
    CHECK(number_cast<double>(0.1F) == static_cast<double>(0.1F));
  }

  TEST_CASE("rounds to the nearest number with 8 bits, ties to even") {
    CHECK(number_cast<float>(number_cast<BFloat16>(0x1.011p0F)) == 0x1.02p0F);
    CHECK(number_cast<float>(number_cast<BFloat16>(0x1.01p0F)) == 1.0F);
    CHECK(number_cast<float>(number_cast<BFloat16>(0x1.03p0F)) == 0x1.04p0F);
  }

  TEST_CASE("keeps what is not finite") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();

    CHECK(number_cast<double>(number_cast<BFloat16>(kInfinity)) == kInfinity);
    CHECK(std::isnan(number_cast<double>(
        number_cast<BFloat16>(std::numeric_limits<double>::quiet_NaN()))));
  }
}

}  // namespace

}  // namespace mlp::cuda
