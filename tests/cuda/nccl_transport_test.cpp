// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cuda/nccl_transport.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../cuda/devices.hpp"
#include "../distributed/ranks.hpp"

namespace {

using mlp::cuda::NcclOptions;
using mlp::distributed::Meeting;
using mlp::distributed::ThreadRendezvous;

std::string num_devices() {
  return std::to_string(mlp::cuda::find_devices().devices.size());
}

TEST_SUITE("cuda/nccl_transport") {
  TEST_CASE("makes a group of one rank without NCCL") {
    Meeting meeting(1);
    ThreadRendezvous rendezvous(meeting, 0, 1);
    const auto group = mlp::cuda::make_nccl_allreduce(rendezvous, {});
    std::vector<double> numbers{2.0};

    group->sum(std::span<double>(numbers));

    CHECK(numbers.front() == 2.0);
    CHECK(group->on_device() == group.get());
  }

  TEST_CASE("tells the other ranks that a rank has no device") {
    Meeting meeting(2);
    NcclOptions options;
    options.device = 1000;
    const auto sentences =
        mlp::distributed::testing::run_ranks(2, [&](int rank) {
          ThreadRendezvous rendezvous(meeting, rank, 2);
          static_cast<void>(
              mlp::cuda::make_nccl_allreduce(rendezvous, options));
        });

    for (const std::string& sentence : sentences) {
      CHECK(sentence ==
            "NCCL: there is no device 1000; this machine has " + num_devices());
    }
  }

  TEST_CASE("refuses more ranks than the machine has devices") {
    CHECK_THROWS_WITH_AS(
        mlp::cuda::require_nccl(1000),
        ("NCCL: 1000 ranks need a device each; this machine has " +
         num_devices() + "; use fewer ranks, or --transport gloo")
            .c_str(),
        mlp::DeviceError);
  }

  TEST_CASE("says which version it found, or why there is none") {
    const mlp::cuda::NcclProbe probe = mlp::cuda::probe_nccl();

    CHECK(probe.refusal.empty() != probe.description.empty());
    if (probe.refusal.empty()) {
      CHECK(probe.description.starts_with("NCCL 2."));
    } else {
      CHECK(probe.refusal.starts_with("NCCL cannot be loaded: "));
    }
  }
}

}  // namespace
