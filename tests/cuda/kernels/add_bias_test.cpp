// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/add_bias.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/runtime/device_array.hpp"

namespace {

using mlp::cuda::DeviceArray;
using mlp::cuda::Stream;

TEST_SUITE("cuda/kernels/add_bias") {
  TEST_CASE_TEMPLATE("adds to each column its biases", Number, double, float) {
    const Stream stream;
    const std::vector<Number> biases = {1, 2, 3};
    const std::vector<Number> z = {10, 20, 30, 40, 50, 60};
    DeviceArray<Number> on_device(6);
    DeviceArray<Number> biases_on_device(3);
    on_device.upload(z, stream);
    biases_on_device.upload(biases, stream);

    mlp::cuda::add_bias<Number>(3, 2, biases_on_device.data(), on_device.data(),
                                stream.get());

    const std::vector<Number> expected = {11, 22, 33, 41, 52, 63};
    CHECK(on_device.download(stream) == expected);
  }

  TEST_CASE("strides over more elements than the grid has threads") {
    const Stream stream;
    const mlp::Index units = 7;
    const mlp::Index size = 40'000;
    DeviceArray<float> z(units * size);
    DeviceArray<float> biases(units);
    z.upload(std::vector<float>(static_cast<std::size_t>(units * size), 1.0F),
             stream);
    biases.upload(std::vector<float>{0, 1, 2, 3, 4, 5, 6}, stream);

    mlp::cuda::add_bias<float>(units, size, biases.data(), z.data(),
                               stream.get());

    const std::vector<float> sums = z.download(stream);
    std::size_t num_wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      num_wrong += sums[i] == 1.0F + static_cast<float>(i % 7) ? 0 : 1;
    }
    CHECK(num_wrong == 0);
  }
}

}  // namespace
