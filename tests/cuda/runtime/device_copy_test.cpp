// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/device_copy.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../device_numbers.hpp"

namespace mlp::cuda {

namespace {

TEST_SUITE("cuda/runtime/device_copy") {
  TEST_CASE("copies some numbers and leaves the others") {
    const Stream stream;
    const DeviceArray<int> from =
        testing::uploaded(std::vector<int>{1, 2, 3, 4}, stream);
    DeviceArray<int> to =
        testing::uploaded(std::vector<int>{5, 6, 7, 8}, stream);

    copy_on_device(from.data() + 1, 2, to.data(), stream);
    copy_on_device(from.data(), 0, to.data(), stream);

    CHECK(to.download(stream) == std::vector<int>{2, 3, 7, 8});
  }

  TEST_CASE("copies to the host and to the device") {
    const Stream stream;
    DeviceArray<int> numbers =
        testing::uploaded(std::vector<int>{1, 2, 3}, stream);
    int number = 9;

    copy_to_device(&number, 1, numbers.data() + 2, stream);
    copy_to_host(numbers.data() + 1, 1, &number, stream);
    stream.synchronize();

    CHECK(number == 2);
    CHECK(numbers.download(stream) == std::vector<int>{1, 2, 9});
  }

  TEST_CASE("clears some numbers and leaves the others") {
    const Stream stream;
    DeviceArray<int> numbers =
        testing::uploaded(std::vector<int>{1, 2, 3}, stream);

    clear_on_device(numbers.data() + 1, 1, stream);
    clear_on_device(numbers.data(), 0, stream);

    CHECK(numbers.download(stream) == std::vector<int>{1, 0, 3});
  }
}

}  // namespace

}  // namespace mlp::cuda
