// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/instances/memory_plan.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include "../../../core/error.hpp"

namespace mlp::cuda {

namespace {

constexpr std::size_t kGib = std::size_t{1} << 30;

/// 60,000 instances of 784 features in double precision: 376 MB. A block of 1024
/// instances takes 10 MB of a pass.
MemoryNeeds mnist() {
  MemoryNeeds needs;
  needs.num_instances = 60'000;
  needs.num_features = 784;
  needs.operand_bytes = 8;
  needs.instance_bytes = 12;
  needs.pass_bytes = 10'000;
  needs.fixed_bytes = 10'000'000;
  return needs;
}

/// Plans for a device that nobody else uses.
MemoryPlan plan(const MemoryNeeds& needs, std::size_t bytes) {
  return plan_memory(needs, {bytes, bytes});
}

TEST_SUITE("cuda/instances/memory_plan") {
  TEST_CASE("computes all instances at once where they fit") {
    const MemoryPlan made = plan(mnist(), 80 * kGib);

    CHECK(made.place == FeaturePlace::kOperands);
    CHECK(made.block_size == 60'000);
  }

  TEST_CASE("makes equal blocks of multiples of 1024 instances") {
    // (2^30 - 10.72e6) / 8 / (10,000 + 3 * 784 * 8) = 4611, so that 4096 fit:
    // 15 blocks of 4000.
    const MemoryPlan made = plan(mnist(), kGib);

    CHECK(made.place == FeaturePlace::kOperands);
    CHECK(made.block_size == 4096);
    MemoryNeeds needs = mnist();
    needs.num_instances = 9000;  // 3 blocks of 3000
    CHECK(plan(needs, kGib).block_size == 3072);
  }

  TEST_CASE("bounds a block where there is much memory") {
    MemoryNeeds needs = mnist();
    needs.pass_bytes = 1'000'000;

    // 2^33 / 1,018,816 = 8431: 8 blocks of 7500
    CHECK(plan(needs, 100 * kGib).block_size == 8 * 1024);
    CHECK(plan(needs, 140 * kGib).block_size == 8 * 1024);
  }

  TEST_CASE("bounds the features of a block, which the host may have to pin") {
    MemoryNeeds needs = mnist();
    needs.num_features = 100'000;

    CHECK(plan(needs, 140 * kGib).block_size == 1024);  // 2^30 / 800,000 = 1342
  }

  TEST_CASE("makes the same blocks whatever others use of the device") {
    MemoryNeeds needs = mnist();
    needs.has_bytes = [] { return true; };
    // Factors, bytes and features on the host.
    CHECK(plan_memory(needs, {kGib, kGib}).place == FeaturePlace::kOperands);
    CHECK(plan_memory(needs, {kGib, 200'000'000}).place ==
          FeaturePlace::kBytes);
    CHECK(plan_memory(needs, {kGib, 100'000'000}).place == FeaturePlace::kHost);
    for (const std::size_t available : {kGib, kGib / 5, kGib / 10}) {
      CHECK(plan_memory(needs, {kGib, available}).block_size == 4096);
    }
  }

  TEST_CASE("leaves features on the host that are no bytes") {
    MemoryNeeds needs = mnist();
    needs.has_bytes = [] { return false; };

    const MemoryPlan made = plan(needs, 200'000'000);

    CHECK(made.place == FeaturePlace::kHost);
    // 189.3e6 / 8 / (10,000 + 3 * 784 * 8) = 821: 74 blocks
    CHECK(made.block_size == 811);
  }

  TEST_CASE("does not look at the features if their factors fit") {
    MemoryNeeds needs = mnist();
    bool has_looked = false;
    needs.has_bytes = [&] { return has_looked = true; };

    static_cast<void>(plan(needs, kGib));

    CHECK_FALSE(has_looked);
  }

  TEST_CASE("gives mini-batches the size that they have") {
    MemoryNeeds needs = mnist();
    needs.least_block_size = 100'000;
    needs.most_block_size = 100'000;
    needs.copies_features = true;

    CHECK(plan(needs, 8 * kGib).block_size == 100'000);
    needs.num_instances = 250'000;
    CHECK(plan(needs, 8 * kGib).block_size == 100'000);
  }

  TEST_CASE("refuses memory in which not even the least block fits") {
    // 10e6 + 60,000 * 12 + 32 * (10,000 + 3 * 784 * 8) = 11,642,112
    CHECK_THROWS_WITH_AS(
        plan(mnist(), 11'642'111),
        "the CUDA device has too little memory: the network and a block of 32 "
        "instances need 11642112 bytes, 11642111 can be used; free the device, "
        "raise the limit, or train on the CPU",
        ResourceError);
    CHECK(plan(mnist(), 11'642'112).block_size == 32);
  }

  TEST_CASE("refuses blocks for which others leave too little memory") {
    // 10.72e6 + 4096 * (10,000 + 3 * 784 * 8) = 128.75e6
    CHECK_THROWS_WITH_AS(
        plan_memory(mnist(), {kGib, 100'000'000}),
        doctest::Contains("free the device, limit the memory that mlp uses to "
                          "100000000 bytes, which makes smaller blocks, or"),
        ResourceError);
    CHECK(plan(mnist(), 100'000'000).place == FeaturePlace::kHost);
  }
}

}  // namespace

}  // namespace mlp::cuda
