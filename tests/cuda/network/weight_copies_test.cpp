// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/weight_copies.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace mlp::cuda {

namespace {

DeviceArray<double> upload(const std::vector<double>& weights,
                           const Stream& stream) {
  DeviceArray<double> array(static_cast<Index>(weights.size()));
  array.upload(weights, stream);
  return array;
}

TEST_SUITE("cuda/network/weight_copies") {
  TEST_CASE("uses the weights themselves in double precision") {
    const Stream stream;
    const DeviceArray<double> weights = upload({1.0, 2.0}, stream);
    WeightCopies<double, double, double> copies(2);

    const auto made = copies.make(weights.data(), stream);

    CHECK(made.numbers == weights.data());
    CHECK(made.operands == weights.data());
    CHECK(decltype(copies)::kBytes == 0);
  }

  TEST_CASE("rounds once for numbers and factors of one type") {
    const Stream stream;
    const DeviceArray<double> weights = upload({1.0 / 3.0, 2.0}, stream);
    WeightCopies<double, float, float> copies(2);
    std::vector<float> numbers(2);

    const auto made = copies.make(weights.data(), stream);

    cuda::check(cudaMemcpyAsync(numbers.data(), made.numbers, 2 * sizeof(float),
                                cudaMemcpyDeviceToHost, stream.get()),
                "cudaMemcpyAsync");
    stream.synchronize();
    CHECK(numbers == std::vector<float>{1.0F / 3.0F, 2.0F});
    CHECK(made.operands == made.numbers);
    CHECK(decltype(copies)::kBytes == 4);
  }

  TEST_CASE("rounds factors of 16 bits, and keeps 32 bits for the rest") {
    const Stream stream;
    const DeviceArray<double> weights = upload({1.0 / 3.0}, stream);
    WeightCopies<double, float, BFloat16> copies(1);
    float number = 0.0F;
    BFloat16 factor{};

    const auto made = copies.make(weights.data(), stream);

    cuda::check(cudaMemcpyAsync(&number, made.numbers, sizeof number,
                                cudaMemcpyDeviceToHost, stream.get()),
                "cudaMemcpyAsync");
    cuda::check(cudaMemcpyAsync(&factor, made.operands, sizeof factor,
                                cudaMemcpyDeviceToHost, stream.get()),
                "cudaMemcpyAsync");
    stream.synchronize();
    CHECK(number == 1.0F / 3.0F);
    CHECK(__bfloat162float(factor) == 0.333984375F);
    CHECK(decltype(copies)::kBytes == 6);
  }
}

}  // namespace

}  // namespace mlp::cuda
