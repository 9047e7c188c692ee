// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/fused_plan.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "../../../mlp/network/topology.hpp"

namespace {

using mlp::Index;
using mlp::Topology;
using mlp::cuda::FusedPlan;
using mlp::cuda::plan_fused;
using mlp::cuda::predict_fused_seconds;
using mlp::cuda::predict_layered_seconds;

constexpr std::size_t kFloat64 = 8;
constexpr std::size_t kFloat32 = 4;
constexpr std::size_t kLimit80 = 163 * 1024;  // of compute capability 8.0
constexpr std::size_t kLimit90 = 227 * 1024;

TEST_SUITE("cuda/fused/fused_plan") {
  // Two matrices of 65 columns of 65 and two of 65 columns of 11, and 65, 65 and
  // 10 rows of 65: 2 x 4,225 + 2 x 715 + 9,100 = 18,980 numbers.
  TEST_CASE("gives [64, 64, 10] tiles of 64 in float32") {
    const FusedPlan plan =
        *plan_fused(Topology({64, 64, 10}), kFloat32, 60'000, kLimit90);

    CHECK(plan.network.tile_size == 64);
    CHECK(plan.network.num_numbers == 18'980);
    CHECK(plan.shared_bytes == 75'920);
    CHECK(plan.num_threads == 256);
  }

  // With tiles of 64 it takes 151,840 bytes; 2 x (80 KiB) are less than two blocks
  // of any tile need.
  TEST_CASE("runs one block at a time if two do not fit") {
    const FusedPlan plan =
        *plan_fused(Topology({64, 64, 10}), kFloat64, 60'000, kLimit90);

    CHECK(plan.network.tile_size == 64);
    CHECK(plan.shared_bytes == 151'840);
  }

  // 60,000 instances are 938 tiles of 64: two each in 469 slices of at most 528,
  // four each in 235 of at most 264.
  TEST_CASE("cuts instances into slices of whole tiles") {
    const Topology topology({64, 64, 10});
    const FusedPlan small = *plan_fused(topology, kFloat32, 60'000, kLimit90);
    const FusedPlan large = *plan_fused(topology, kFloat64, 60'000, kLimit90);

    CHECK(small.slice_size == 128);
    CHECK(small.num_slices == 469);
    CHECK(large.slice_size == 256);
    CHECK(large.num_slices == 235);
    CHECK(large.slice_bytes(kFloat64) == 235 * (64 * 65 + 10 * 65) * 8);
  }

  TEST_CASE("covers the instances with slices of which none is empty") {
    const Topology topology({20, 10, 3});
    for (const Index size : {1, 15, 16, 17, 4'095, 4'096, 8'192, 1'000'003}) {
      const FusedPlan plan = *plan_fused(topology, kFloat32, size, kLimit80);

      CHECK(plan.slice_size % plan.network.tile_size == 0);
      CHECK(plan.num_slices * plan.slice_size >= size);
      CHECK((plan.num_slices - 1) * plan.slice_size < size);
      CHECK(plan.num_slices <= 528);
    }
  }

  TEST_CASE("gives few instances small tiles") {
    const Topology topology({20, 10, 3});

    CHECK(plan_fused(topology, 8, 0, kLimit80)->num_slices == 1);
    CHECK(plan_fused(topology, 8, 4'095, kLimit80)->network.tile_size == 16);
    CHECK(plan_fused(topology, 8, 4'096, kLimit80)->network.tile_size == 32);
    CHECK(plan_fused(topology, 8, 8'192, kLimit80)->network.tile_size == 64);
  }

  // [784 x 100] and its gradient take 2 x 785 x 101 x 4 bytes = 634,280 bytes in
  // float32, and no block has more than 232,448.
  TEST_CASE("refuses a network that does not fit, as [784, 100, 10]") {
    const Topology topology({784, 100, 10});

    CHECK_FALSE(plan_fused(topology, kFloat32, 60'000, kLimit90));
    CHECK_FALSE(plan_fused(topology, kFloat64, 60'000, kLimit90));
  }

  TEST_CASE("refuses a network far larger than what positions can count") {
    const Topology topology({Topology::kMaxWidth, 2000, 10});

    CHECK_FALSE(plan_fused(topology, kFloat32, 1000, kLimit90));
  }

  TEST_CASE("refuses networks with batch normalisation") {
    mlp::HiddenLayer layer;
    layer.has_batch_norm = true;
    const Topology topology({4, 4, 2}, mlp::Loss::kSoftmaxNll, {layer});

    CHECK_FALSE(plan_fused(topology, kFloat64, 1'000, kLimit90));
  }

  // 2 x 129 x 129 + 2 x 129 x 11 + (129 + 129 + 10) x 17 numbers of 4 bytes are
  // 162,704: too many for a larger tile.
  TEST_CASE("gives a network that fills the memory a small tile") {
    const Topology topology({128, 128, 10});
    const auto smallest = plan_fused(topology, kFloat32, 60'000, kLimit80);

    REQUIRE(smallest);
    CHECK(smallest->network.tile_size == 16);
    CHECK(smallest->shared_bytes == 162'704);
  }

  TEST_CASE("plans the same for all devices on which a network fits") {
    const Topology fits({64, 32, 10});
    const Topology larger({200, 100, 10});
    const auto on_80 = plan_fused(fits, kFloat64, 60'000, kLimit80);
    const auto on_90 = plan_fused(fits, kFloat64, 60'000, kLimit90);

    CHECK(on_80->network.tile_size == on_90->network.tile_size);
    CHECK(on_80->slice_size == on_90->slice_size);
    CHECK(on_80->num_threads == on_90->num_threads);
    CHECK_FALSE(plan_fused(larger, kFloat32, 60'000, kLimit80));
    CHECK(plan_fused(larger, kFloat32, 60'000, kLimit90));
  }

  // One tile of 16 in one slice: 64 elements of inner size 5 and 32 of inner size
  // 16 are 832 multiply-adds of 4 bytes, at 152.32 GB/s of a multiprocessor 21.849
  // ns. By layers, 6 launches and 4,096 bytes at 3.44 TB/s.
  TEST_CASE("predicts the time of [4, 4] and 16 instances") {
    constexpr double kShare = 1e-5;  // the digits above
    const Topology topology({4, 4});
    const FusedPlan plan = *plan_fused(topology, kFloat64, 16, kLimit90);

    CHECK(predict_fused_seconds(plan, kFloat64, 16) ==
          doctest::Approx(5e-6 + 21.849e-9).epsilon(kShare).scale(0.0));
    CHECK(predict_layered_seconds(topology, kFloat64, 16) ==
          doctest::Approx(15e-6 + 1.19e-9).epsilon(kShare).scale(0.0));
  }

  TEST_CASE("expects narrow networks to be faster on chip, wide ones not") {
    const auto is_faster = [](const Topology& topology, std::size_t bytes,
                              Index size) {
      return predict_fused_seconds(*plan_fused(topology, bytes, size, kLimit90),
                                   bytes, size) <
             predict_layered_seconds(topology, bytes, size);
    };

    CHECK(is_faster(Topology({28, 16, 2}), kFloat64, 1'000'000));
    CHECK(is_faster(Topology({64, 64, 10}), kFloat64, 1'000));
    CHECK_FALSE(is_faster(Topology({64, 64, 64, 10}), kFloat64, 1'000'000));
  }
}

}  // namespace
