// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/sum_slices.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "../../../cuda/runtime/device_array.hpp"

namespace {

using mlp::Index;
using mlp::cuda::DeviceArray;
using mlp::cuda::Stream;

struct Sums {
  double value;
  std::vector<double> gradient;
};

/// Sums slices of which the numbers are whole, so that every order is exact.
template <typename Number>
Sums sum_whole_numbers(Index num_weights, Index num_slices) {
  const Stream stream;
  DeviceArray<Number> gradients(num_weights * num_slices);
  DeviceArray<double> losses(num_slices);
  DeviceArray<double> value(1);
  DeviceArray<double> gradient(num_weights);
  std::vector<Number> numbers(static_cast<std::size_t>(gradients.size()));
  std::iota(numbers.begin(), numbers.end(), Number{0});
  gradients.upload(numbers, stream);
  losses.upload(std::vector<double>(static_cast<std::size_t>(num_slices), 2.0),
                stream);
  mlp::cuda::sum_slices<Number>(num_weights, num_slices, gradients.data(),
                                losses.data(), value.data(), gradient.data(),
                                stream.get());
  return {value.download(stream)[0], gradient.download(stream)};
}

TEST_SUITE("cuda/fused/sum_slices") {
  // Element e of slice s is e + s num_weights.
  TEST_CASE_TEMPLATE("adds each element of all slices", Number, double, float) {
    const std::vector<std::pair<Index, Index>> shapes = {
        {1, 1}, {5, 3}, {32, 16}, {33, 17}, {100, 40}};
    for (const auto& [num_weights, num_slices] : shapes) {
      const Sums sums = sum_whole_numbers<Number>(num_weights, num_slices);

      CHECK(sums.value == 2.0 * static_cast<double>(num_slices));
      for (Index e = 0; e < num_weights; ++e) {
        const Index pairs = num_slices * (num_slices - 1) / 2;
        CHECK(sums.gradient[static_cast<std::size_t>(e)] ==
              static_cast<double>(e * num_slices + num_weights * pairs));
      }
    }
  }

  TEST_CASE("adds single precision numbers in double precision") {
    const Stream stream;
    DeviceArray<float> gradients(2);
    DeviceArray<double> losses(2);
    DeviceArray<double> value(1);
    DeviceArray<double> gradient(1);
    gradients.upload(std::vector<float>{1.0F, 1e-10F}, stream);
    losses.upload(std::vector<double>{0.0, 0.0}, stream);

    mlp::cuda::sum_slices<float>(1, 2, gradients.data(), losses.data(),
                                 value.data(), gradient.data(), stream.get());

    CHECK(gradient.download(stream)[0] == 1.0 + static_cast<double>(1e-10F));
  }
}

}  // namespace
