// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/column_sum.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

constexpr double kRounding = 1e-14;      // of sums in double
constexpr double kFloatRounding = 1e-7;  // of a sum that becomes a float

/// Adds the columns in their order.
std::vector<double> expected_sums(Index units,
                                  const std::vector<double>& numbers,
                                  double start) {
  std::vector<double> sums(static_cast<std::size_t>(units), start);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sums[i % sums.size()] += numbers[i];
  }
  return sums;
}

/// Adds the columns on the device; adds them to the start unless it is NaN.
template <typename T, typename Sum>
std::vector<double> sums_of(Index units, Index size,
                            const std::vector<T>& numbers, Sum start) {
  const Stream stream;
  const DeviceArray<T> on_device = uploaded(numbers, stream);
  DeviceArray<double> partials(num_column_partials(units, size));
  DeviceArray<Sum> sums(units);
  const bool adds = start == start;
  if (adds) {
    sums.upload(std::vector<Sum>(static_cast<std::size_t>(units), start),
                stream);
  }
  column_sum(units, size, on_device.data(), partials.data(),
             mlp::cuda::SumTarget<Sum>{sums.data(), adds}, stream.get());
  return downloaded(sums, stream);
}

TEST_SUITE("cuda/kernels/column_sum") {
  TEST_CASE("adds the columns of matrices of many sizes") {
    for (const Index units : {1, 2, 3, 16, 31, 32, 33, 100}) {
      for (const Index size : {1, 2, 15, 1024, 1025, 5000}) {
        CAPTURE(units);
        CAPTURE(size);
        const auto numbers = drawn_numbers(units * size, 1, 1000.0);

        const auto sums = sums_of(units, size, numbers, std::nan(""));

        CHECK(difference_of(sums, expected_sums(units, numbers, 0.0)) <
              kRounding);
      }
    }
  }

  TEST_CASE("adds more slices than it makes of small matrices") {
    const Index size = 300'000;
    const auto numbers = drawn_numbers(size, 2);

    const auto sums = sums_of(1, size, numbers, std::nan(""));

    CHECK(num_column_partials(1, size) == 256);
    CHECK(difference_of(sums, expected_sums(1, numbers, 0.0)) < 1e-12);
  }

  TEST_CASE("adds to what is there") {
    const auto numbers = drawn_numbers(5 * 3000, 3);

    CHECK(difference_of(sums_of(5, 3000, numbers, 1e4),
                        expected_sums(5, numbers, 1e4)) < kRounding);
  }

  TEST_CASE_TEMPLATE("adds in double to a float", T, float, BFloat16) {
    for (const Index size : {3, 3000}) {
      const auto numbers = drawn_numbers<T>(5 * size, 3);
      const auto expected = expected_sums(5, converted<double>(numbers), 1e4);

      CHECK(difference_of(sums_of(5, size, numbers, 1e4F), expected) <
            kFloatRounding);
    }
  }

  TEST_CASE("gives the same bits in any order") {
    for (const Index units : {1, 10, 40}) {
      const auto numbers = drawn_numbers(units * 2500, 4);

      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return sums_of(units, 2500, numbers, 0.1); }));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
