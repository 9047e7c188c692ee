// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/vector_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "../device_numbers.hpp"
#include "../shuffled_orders.hpp"

namespace mlp::cuda {

namespace {

using testing::drawn_numbers;
using testing::uploaded;

// Sums of 1e5 products below 1 in other orders.
constexpr double kRounding = 1e-12;

std::vector<double> products_of(const std::vector<double>& x,
                                const std::vector<double>& y) {
  const Stream stream;
  const DeviceArray<double> a = uploaded(x, stream);
  const DeviceArray<double> b = uploaded(y, stream);
  const auto size = static_cast<Index>(x.size());
  DeviceArray<double> partials(2 * num_partials(size));
  DeviceArray<double> sums(2);
  compute_dot_products(a.data(), b.data(), size, partials.data(), sums.data(),
                       stream.get());
  return sums.download(stream);
}

double product(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

TEST_SUITE("cuda/steps/vector_sums") {
  TEST_CASE("computes dot products of vectors of any size") {
    for (const Index size : {1, 2, 31, 256, 257, 1024, 5000, 100'000}) {
      CAPTURE(size);
      const std::vector<double> x = drawn_numbers<double>(size, 1);
      const std::vector<double> y = drawn_numbers<double>(size, 2);

      const std::vector<double> sums = products_of(x, y);

      CHECK(std::abs(sums[0] - product(x, y)) < kRounding);
      CHECK(std::abs(sums[1] - product(x, x)) <
            kRounding * static_cast<double>(size));
    }
  }

  TEST_CASE("adds in an order that depends on the size only") {
    const std::vector<double> x = drawn_numbers<double>(3001, 5);
    const std::vector<double> y = drawn_numbers<double>(3001, 6);

    CHECK(
        testing::is_same_in_shuffled_orders([&] { return products_of(x, y); }));
  }

  TEST_CASE("adds partial sums of more kinds than a block has threads") {
    const Stream stream;
    constexpr Index kSums = 300;
    std::vector<double> numbers;
    for (Index i = 0; i < kSums; ++i) {
      for (Index k = 0; k < 3; ++k) numbers.push_back(static_cast<double>(i));
    }
    const DeviceArray<double> partials = uploaded(numbers, stream);
    DeviceArray<double> sums(kSums);

    finish_sums(partials.data(), 3, kSums, sums.data(), stream.get());

    const std::vector<double> results = sums.download(stream);
    for (std::size_t i = 0; i < results.size(); ++i) {
      CHECK(results[i] == 3.0 * static_cast<double>(i));
    }
  }

  TEST_CASE("limits the partial sums of long vectors") {
    CHECK(num_partials(0) == 1);
    CHECK(num_partials(256) == 1);
    CHECK(num_partials(257) == 2);
    CHECK(num_partials(Index{1} << 40) == 256);
  }
}

}  // namespace

}  // namespace mlp::cuda
