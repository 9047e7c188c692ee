// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/convert.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

template <typename From, typename To>
std::vector<double> converted_on_device(const std::vector<From>& numbers,
                                        double scale) {
  const Stream stream;
  const DeviceArray<From> from = uploaded(numbers, stream);
  DeviceArray<To> to(from.size());
  convert(from.size(), from.data(), scale, to.data(), stream.get());
  return downloaded(to, stream);
}

template <typename From, typename To>
void check_conversion() {
  for (const Index size : {1, 3, 4, 64, 1023}) {
    CAPTURE(size);
    const auto numbers = drawn_numbers<From>(size, 5, 100.0);
    CHECK(converted_on_device<From, To>(numbers, 1.0) ==
          converted<double>(converted<To>(numbers)));
  }
}

std::vector<std::uint8_t> all_bytes() {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
  return bytes;
}

TEST_SUITE("cuda/kernels/convert") {
  TEST_CASE("converts numbers as the host does") {
    check_conversion<double, float>();
    check_conversion<double, BFloat16>();
    check_conversion<float, double>();
    check_conversion<float, BFloat16>();
    check_conversion<BFloat16, float>();
  }

  TEST_CASE_TEMPLATE("scales numbers of 8 bits in double", To, double, float,
                     BFloat16) {
    const double scale = 1.0 / 255.0;
    std::vector<double> expected;
    for (const std::uint8_t byte : all_bytes())
      expected.push_back(byte * scale);

    const auto scaled =
        converted_on_device<std::uint8_t, To>(all_bytes(), scale);

    CHECK(scaled == converted<double>(converted<To>(expected)));
  }

  TEST_CASE("converts more numbers than the grid has threads") {
    for (const Index size : {1601, 6400}) {
      const auto numbers = drawn_numbers(size, 6);

      const auto found = with_two_blocks(
          [&] { return converted_on_device<double, float>(numbers, 1.0); });

      CHECK(found == converted<double>(converted<float>(numbers)));
    }
  }

  TEST_CASE("adds single to double precision") {
    const Stream stream;
    const DeviceArray<float> numbers =
        uploaded(std::vector<float>{0.5F, 0.1F, -3.0F}, stream);
    DeviceArray<double> sums =
        uploaded(std::vector<double>{1e-9, 1.0, 3.0}, stream);

    add_to_double(3, numbers.data(), sums.data(), stream.get());

    const std::vector<double> expected = {1e-9 + 0.5,
                                          1.0 + static_cast<double>(0.1F), 0.0};
    CHECK(sums.download(stream) == expected);
  }

  TEST_CASE("gives the same bits in any order") {
    const auto numbers = drawn_numbers(1028, 7);

    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return converted_on_device<double, BFloat16>(numbers, 1.0); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
