// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/device_copy.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../steps/device_vectors.hpp"

namespace mlp::cuda {

namespace {

TEST_SUITE("cuda/solvers/device_copy") {
  TEST_CASE("copies some numbers and leaves the others") {
    const Stream stream;
    const DeviceArray<int> from =
        testing::on_device(std::vector<int>{1, 2, 3, 4}, stream);
    DeviceArray<int> to =
        testing::on_device(std::vector<int>{5, 6, 7, 8}, stream);

    copy_on_device(from.data() + 1, 2, to.data(), stream);
    copy_on_device(from.data(), 0, to.data(), stream);

    CHECK(to.download(stream) == std::vector<int>{2, 3, 7, 8});
  }
}

}  // namespace

}  // namespace mlp::cuda
