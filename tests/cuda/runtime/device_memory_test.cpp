// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/device_memory.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

#include "../../../core/error.hpp"

namespace {

TEST_SUITE("cuda/runtime/device_memory") {
  TEST_CASE("counts the bytes that it allocates") {
    const std::size_t before = mlp::cuda::memory_of_device().free_bytes;

    void* const memory = mlp::cuda::allocate(std::size_t{64} << 20);
    const std::size_t during = mlp::cuda::memory_of_device().free_bytes;
    mlp::cuda::release(memory);

    CHECK(before - during >= std::size_t{64} << 20);
    CHECK(mlp::cuda::memory_of_device().free_bytes == before);
  }

  TEST_CASE("names the bytes wanted and free if there are too few") {
    constexpr std::size_t kTooMany = std::size_t{1} << 50;

    CHECK_THROWS_WITH_AS(
        mlp::cuda::allocate(kTooMany),
        doctest::Contains("the CUDA device has too little memory: "
                          "1125899906842624 bytes were needed in one piece, "),
        mlp::ResourceError);
  }

  TEST_CASE("an array moves its memory, and releases it once") {
    const std::size_t before = mlp::cuda::memory_of_device().free_bytes;
    {
      using Array = mlp::cuda::MemoryArray<double, mlp::cuda::allocate,
                                           mlp::cuda::release>;
      Array array(mlp::Index{8} << 20);
      const double* const numbers = array.data();

      Array moved = std::move(array);
      Array assigned;
      assigned = std::move(moved);

      CHECK(assigned.data() == numbers);
      CHECK(assigned.size() == mlp::Index{8} << 20);
      CHECK(moved.empty());
    }
    CHECK(mlp::cuda::memory_of_device().free_bytes == before);
  }

  TEST_CASE("allocates nothing for 0 bytes") {
    CHECK(mlp::cuda::allocate(0) == nullptr);
    CHECK(mlp::cuda::allocate_pinned(0) == nullptr);
    CHECK_NOTHROW(mlp::cuda::release(nullptr));
    CHECK_NOTHROW(mlp::cuda::release_pinned(nullptr));
  }
}

}  // namespace
