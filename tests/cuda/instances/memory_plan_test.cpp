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

TEST_SUITE("cuda/instances/memory_plan") {
  TEST_CASE("computes all instances at once where they fit") {
    const MemoryPlan plan = plan_memory(mnist(), 80 * kGib);

    CHECK(plan.place == FeaturePlace::kOperands);
    CHECK(plan.block_size == 60'000);
  }

  TEST_CASE("takes multiples of 1024 instances from an eighth of the memory") {
    // (2^30 - 10.72e6) / 8 / 10,000 = 13,287
    const MemoryPlan plan = plan_memory(mnist(), kGib);

    CHECK(plan.place == FeaturePlace::kOperands);
    CHECK(plan.block_size == 12 * 1024);
  }

  TEST_CASE("does not depend on the memory where there is much of it") {
    MemoryNeeds needs = mnist();
    needs.pass_bytes = 100'000;

    // 2^31 / 100,000 = 21,474
    CHECK(plan_memory(needs, 17 * kGib).block_size == 20 * 1024);
    CHECK(plan_memory(needs, 140 * kGib).block_size == 20 * 1024);
  }

  TEST_CASE(
      "stores bytes where factors do not fit, if bytes can stand for them") {
    MemoryNeeds needs = mnist();
    needs.has_bytes = [] { return true; };

    const MemoryPlan plan = plan_memory(needs, 200'000'000);

    CHECK(plan.place == FeaturePlace::kBytes);
    CHECK(plan.block_size == 1024);  // 189.3e6 / 8 / 16,272 = 1454
  }

  TEST_CASE("leaves features on the host that do not fit") {
    MemoryNeeds needs = mnist();
    needs.has_bytes = [] { return false; };

    const MemoryPlan plan = plan_memory(needs, 200'000'000);

    CHECK(plan.place == FeaturePlace::kHost);
    CHECK(plan.block_size == 821);  // 189.3e6 / 8 / (10,000 + 3 * 784 * 8)
  }

  TEST_CASE("does not look at the features if their factors fit") {
    MemoryNeeds needs = mnist();
    bool has_looked = false;
    needs.has_bytes = [&] { return has_looked = true; };

    static_cast<void>(plan_memory(needs, kGib));

    CHECK_FALSE(has_looked);
  }

  TEST_CASE("gives mini-batches the size that they have") {
    MemoryNeeds needs = mnist();
    needs.least_block_size = 100'000;
    needs.most_block_size = 100'000;
    needs.copies_features = true;

    CHECK(plan_memory(needs, 8 * kGib).block_size == 100'000);
  }

  TEST_CASE("refuses memory in which not even the least block fits") {
    // 10e6 + 60,000 * 12 + 32 * (10,000 + 3 * 784 * 8) = 11,642,112
    CHECK_THROWS_WITH_AS(
        plan_memory(mnist(), 11'642'111),
        "the CUDA device has too little memory: the network and a block of 32 "
        "instances need 11642112 bytes, 11642111 can be used; free the device, "
        "raise the limit, or train on the CPU",
        ResourceError);
    CHECK(plan_memory(mnist(), 11'642'112).block_size == 32);
  }
}

}  // namespace

}  // namespace mlp::cuda
