// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/gradient_step.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../../cuda/steps/vector_sums.hpp"
#include "../device_numbers.hpp"
#include "../shuffled_orders.hpp"

namespace mlp::cuda {

namespace {

using Numbers = std::vector<double>;
using testing::drawn_numbers;
using testing::uploaded;

// A sum of 1e4 squares below 4 in another order.
constexpr double kRounding = 1e-10;

/// x after a step, the x before, and the two sums.
Numbers step_of(const Numbers& start, const Numbers& slope, double step_size) {
  const Stream stream;
  const auto size = static_cast<Index>(start.size());
  const DeviceArray<double> length = uploaded(Numbers{step_size}, stream);
  const DeviceArray<double> gradient = uploaded(slope, stream);
  DeviceArray<double> x = uploaded(start, stream);
  DeviceArray<double> previous(size);
  DeviceArray<double> partials(2 * num_partials(size));
  DeviceArray<double> sums(2);
  make_gradient_step(
      {size, length.data(), gradient.data(), x.data(), previous.data()},
      partials.data(), sums.data(), stream.get());
  Numbers result = x.download(stream);
  for (const double number : previous.download(stream)) {
    result.push_back(number);
  }
  for (const double sum : sums.download(stream)) result.push_back(sum);
  return result;
}

TEST_SUITE("cuda/steps/gradient_step") {
  // (1, 2) - 0.5 (4, -2) = (-1, 3): moved by (2, -1).
  TEST_CASE("moves against the gradient and measures") {
    CHECK(step_of({1, 2}, {4, -2}, 0.5) == Numbers{-1, 3, 1, 2, 5, 10});
  }

  TEST_CASE("strides over long vectors") {
    constexpr Index kSize = 9000;
    const Numbers x = drawn_numbers<double>(kSize, 1);
    const Numbers gradient = drawn_numbers<double>(kSize, 2);

    const Numbers found = step_of(x, gradient, 0.25);

    double moved = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < kSize; ++i) {
      const double after = x[i] - 0.25 * gradient[i];
      REQUIRE(std::abs(found[i] - after) < kRounding);
      moved += (x[i] - after) * (x[i] - after);
      squares += after * after;
    }
    CHECK(std::abs(found[2 * kSize] - moved) < kRounding);
    CHECK(std::abs(found[2 * kSize + 1] - squares) < kRounding);
  }

  TEST_CASE("gives the same bits in any order") {
    const Numbers x = drawn_numbers<double>(2100, 3);
    const Numbers gradient = drawn_numbers<double>(2100, 4);

    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return step_of(x, gradient, 0.1); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
