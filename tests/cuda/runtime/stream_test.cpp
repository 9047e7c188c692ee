// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/stream.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/runtime/device_array.hpp"

namespace {

using namespace mlp::cuda;

TEST_SUITE("cuda/runtime/stream") {
  TEST_CASE("waits for an event of another stream") {
    const Stream first;
    const Stream second;
    Event is_uploaded;
    DeviceArray<double> array(1);

    array.upload(std::vector<double>{4.0}, first);
    is_uploaded.record(first);
    is_uploaded.block(second);

    CHECK(array.download(second) == std::vector<double>{4.0});
  }

  TEST_CASE("lets the host wait for an event") {
    const Stream stream;
    Event is_done;
    DeviceArray<double> array(1);
    array.clear(stream);
    is_done.record(stream);

    is_done.synchronize();

    CHECK(array.download(stream) == std::vector<double>{0.0});
  }
}

}  // namespace
