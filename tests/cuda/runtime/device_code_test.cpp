// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/device_code.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/runtime/device_array.hpp"
#include "../../../cuda/runtime/launch.hpp"
#include "../../cuda_host/execution_settings.hpp"

namespace {

using mlp::Index;
using mlp::cuda::DeviceArray;
using mlp::cuda::Stream;

void sum_kernel(const double* numbers, double* sums) {
  double* const shared = mlp::cuda::shared_memory<double>();
  const Index i = mlp::cuda::first_element();
  sums[i] = mlp::cuda::sum_block(numbers[i], shared);
}

std::vector<double> sum_blocks(const std::vector<double>& numbers) {
  const Stream stream;
  DeviceArray<double> on_device(static_cast<Index>(numbers.size()));
  DeviceArray<double> sums(on_device.size());
  on_device.upload(numbers, stream);
  const auto num_blocks = static_cast<unsigned>(numbers.size() / 64);
  mlp::cuda::launch(sum_kernel, {num_blocks, 64, 64 * sizeof(double)},
                    stream.get(), on_device.data(), sums.data());
  return sums.download(stream);
}

TEST_SUITE("cuda/runtime/device_code") {
  TEST_CASE("gives the sum of a block to each of its threads") {
    std::vector<double> numbers(128, 1.0);
    numbers[100] = 3.0;

    const std::vector<double> sums = sum_blocks(numbers);

    CHECK(sums[0] == 64.0);
    CHECK(sums[63] == 64.0);
    CHECK(sums[64] == 66.0);
    CHECK(sums[127] == 66.0);
  }

  TEST_CASE("adds in the same order whatever the order of the threads") {
    std::vector<double> numbers(64);
    for (std::size_t i = 0; i < 64; ++i) {
      numbers[i] = 1.0 / static_cast<double>(i + 1);
    }
    const std::vector<double> sums = sum_blocks(numbers);

    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      mlp::cuda_host::execution_settings().order_seed = seed;
      CHECK(sum_blocks(numbers) == sums);
    }
    mlp::cuda_host::execution_settings().order_seed = 0;
  }
}

}  // namespace
