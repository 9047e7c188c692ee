// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/slices.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "../../../core/types.hpp"

namespace mlp {

TEST_SUITE("mlp/instances/slices") {
  TEST_CASE("counts one slice per 1024 instances and 64 at most") {
    constexpr Index kNumWeights = 100;
    CHECK(Slices::count(0, kNumWeights) == 1);
    CHECK(Slices::count(1, kNumWeights) == 1);
    CHECK(Slices::count(1024, kNumWeights) == 1);
    CHECK(Slices::count(1025, kNumWeights) == 2);
    CHECK(Slices::count(3000, kNumWeights) == 3);
    CHECK(Slices::count(64 * 1024, kNumWeights) == 64);
    CHECK(Slices::count(1000000, kNumWeights) == 64);
  }

  // 2^25 numbers are 256 MiB.
  TEST_CASE("counts fewer slices where their gradients would be large") {
    constexpr Index kMany = 1000000;
    CHECK(Slices::count(kMany, Index{1} << 19) == 64);
    CHECK(Slices::count(kMany, Index{1} << 20) == 32);
    CHECK(Slices::count(kMany, Index{1} << 23) == 4);
    CHECK(Slices::count(kMany, Index{1} << 30) == 2);
    CHECK(Slices::count(5, Index{1} << 30) == 1);
  }

  // 1,000 instances are 7 units of 144, the last one short: 3 + 2 + 2.
  TEST_CASE("cuts at units so that slices differ by one at most") {
    const Slices slices(1000, 3);

    CHECK(slices.size() == 3);
    CHECK(slices.begin(0) == 0);
    CHECK(slices.begin(1) == 3 * 144);
    CHECK(slices.begin(2) == 5 * 144);
    CHECK(slices.begin(3) == 1000);
  }

  TEST_CASE("gives each rank a run of slices and every slice to one rank") {
    for (const Index total : {1, 3, 7, 64}) {
      const Slices whole(100000, total);
      for (int world_size = 1; world_size <= 5; ++world_size) {
        Index num_slices = 0;
        Index instance = 0;
        for (int rank = 0; rank < world_size; ++rank) {
          const Slices own = whole.of_rank(rank, world_size);
          CHECK(own.first_instance() == instance);
          for (Index i = 0; i <= own.size(); ++i) {
            CHECK(instance + own.begin(i) == whole.begin(num_slices + i));
          }
          num_slices += own.size();
          instance += own.begin(own.size());
        }
        CHECK(num_slices == total);
        CHECK(instance == 100000);
      }
    }
  }

  TEST_CASE("finds the slices of a run of instances") {
    const Slices whole(1000, 3);

    const std::optional<Slices> tail = whole.of_instances(3 * 144, 1000 - 432);
    const std::optional<Slices> none = whole.of_instances(1000, 0);

    REQUIRE(tail);
    CHECK(tail->size() == 2);
    CHECK(tail->begin(1) == 2 * 144);
    REQUIRE(none);
    CHECK(none->size() == 0);
    CHECK_FALSE(whole.of_instances(0, 500));
    CHECK_FALSE(whole.of_instances(144, 1000 - 144));
  }
}

}  // namespace mlp
