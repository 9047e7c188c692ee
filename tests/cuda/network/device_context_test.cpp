// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/device_context.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>

#include "../../../core/error.hpp"
#include "../../../cuda/runtime/device_memory.hpp"
#include "../cublas_of_tests.hpp"

namespace {

using namespace mlp::cuda;

TEST_SUITE("cuda/network/device_context") {
  TEST_CASE("offers most of the memory that is free") {
    const DeviceContext context(0, 0, cublas_of_tests());
    const MemoryOfDevice memory = mlp::cuda::memory_of_device();
    const DeviceBytes bytes = context.bytes();

    CHECK(bytes.budget == memory.total_bytes - MatrixProducts::kWorkspaceBytes);
    CHECK(bytes.available ==
          std::min(bytes.budget, memory.free_bytes - memory.free_bytes / 16));
  }

  TEST_CASE("offers no more than the limit, less what it took itself") {
    const DeviceContext context(0, MatrixProducts::kWorkspaceBytes + 1000,
                                cublas_of_tests());
    const DeviceContext least(0, 1000, cublas_of_tests());
    const DeviceContext most(0, std::size_t{1} << 60, cublas_of_tests());

    CHECK(context.bytes().budget == 1000);
    CHECK(context.bytes().available == 1000);
    CHECK(least.bytes().available == 0);
    CHECK(most.bytes().budget == mlp::cuda::memory_of_device().total_bytes -
                                     MatrixProducts::kWorkspaceBytes);
  }

  TEST_CASE("lends the device to one thread at a time") {
    DeviceContext context(0, 0, cublas_of_tests());

    auto lock = context.lock();
    auto other = std::async(std::launch::async,
                            [&] { static_cast<void>(context.lock()); });
    const auto before = other.wait_for(std::chrono::milliseconds(20));
    lock.unlock();
    const auto after = other.wait_for(std::chrono::seconds(60));

    CHECK(before == std::future_status::timeout);
    CHECK(after == std::future_status::ready);
  }

  TEST_CASE("refuses a device that does not exist") {
    CHECK_THROWS_AS(DeviceContext(99, 0, cublas_of_tests()), mlp::DeviceError);
  }
}

}  // namespace
