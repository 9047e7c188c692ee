// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/pass_arrays.hpp"

#include <doctest/doctest.h>

#include "../../../cuda/kernels/column_sum.hpp"
#include "../../../cuda/kernels/hidden_delta.hpp"
#include "../../../cuda/runtime/device_memory.hpp"
#include "random_networks.hpp"

namespace mlp::cuda {

namespace {

/// What a device, which allocates pieces of 2 MiB, may leave unused behind the up to
/// 30 arrays.
#ifdef CUDART_VERSION
constexpr std::size_t kUnusedBytes = std::size_t{60} << 20;
#else
constexpr std::size_t kUnusedBytes = 0;
#endif

template <typename Number, typename Input>
void check_bytes() {
  SparkRandom random(1);
  for (int i = 0; i < 30; ++i) {
    const Topology topology = mlp::testing::draw_topology(random, true);
    for (const PassKind kind :
         {PassKind::kForward, PassKind::kForwardAndBackward}) {
      constexpr Index kCapacity = 3000;
      const std::size_t before = cuda::memory_of_device().free_bytes;
      const PassArrays<Number, Input> arrays(topology, kind, kCapacity);
      const std::size_t taken = before - cuda::memory_of_device().free_bytes;

      // Deviations and the first sums of a column do not grow with instances, and
      // the sums of tiles are rounded up to a number of each instance.
      const std::size_t planned =
          PassArrays<Number, Input>::bytes_per_instance(topology, kind) *
          kCapacity;
      constexpr std::size_t kFixedBytes = 25'000;
      CHECK(taken <= planned + kFixedBytes + kUnusedBytes);
      CHECK(planned <= taken + kFixedBytes);
    }
  }
}

TEST_SUITE("cuda/network/pass_arrays") {
  TEST_CASE("takes the bytes that it states") {
    check_bytes<double, double>();
    check_bytes<float, float>();
    check_bytes<float, BFloat16>();
  }

  TEST_CASE("has sums for every number of instances up to its capacity") {
    for (const Index capacity : {1, 1025, 5000, 262'144, 262'145, 300'000}) {
      const Index most = cuda::most_partials(3, capacity);
      for (Index size = 1; size <= capacity; size += 1 + size / 50) {
        CHECK(cuda::num_column_partials(3, size) <= most);
        CHECK(cuda::num_delta_partials(3, size) <= most);
      }
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
