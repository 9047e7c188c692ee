// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/device_array.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using mlp::cuda::DeviceArray;
using mlp::cuda::Stream;

TEST_SUITE("cuda/runtime/device_array") {
  TEST_CASE("returns the numbers that were uploaded") {
    const Stream stream;
    const std::vector<double> numbers = {1.5, -2.0, 3.25};
    DeviceArray<double> array(3);

    array.upload(numbers, stream);

    CHECK(array.download(stream) == numbers);
    CHECK(array.size_bytes() == 24);
  }

  TEST_CASE("copies numbers at upload, so that the source may change") {
    const Stream stream;
    std::vector<float> numbers = {1, 2};
    DeviceArray<float> array(2);

    array.upload(numbers, stream);
    numbers.assign(2, 0.0F);

    CHECK(array.download(stream) == std::vector<float>{1, 2});
  }

  TEST_CASE("is all zeros after clear") {
    const Stream stream;
    DeviceArray<std::uint8_t> array(100);

    array.clear(stream);

    CHECK(array.download(stream) == std::vector<std::uint8_t>(100, 0));
  }

  TEST_CASE("moves its memory") {
    const Stream stream;
    DeviceArray<double> array(2);
    array.upload(std::vector<double>{1, 2}, stream);

    DeviceArray<double> moved = std::move(array);
    DeviceArray<double> assigned;
    assigned = std::move(moved);

    CHECK(assigned.download(stream) == std::vector<double>{1, 2});
  }

  TEST_CASE("holds nothing if it is empty") {
    const Stream stream;
    const DeviceArray<double> array(0);

    CHECK(array.empty());
    CHECK(array.data() == nullptr);
    CHECK(array.download(stream).empty());
  }
}

}  // namespace
