// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "../../../cuda/nccl/nccl_allreduce.hpp"
#include "../../cuda_host/nccl_on_host.hpp"
#include "../../distributed/ranks.hpp"

namespace mlp::cuda {

/// Gives ranks that are threads, each with an emulated device, to a function.
inline std::vector<distributed::Outcome> with_nccl_ranks(
    int num_ranks, const NcclOptions& options,
    const std::function<void(NcclAllreduce&)>& work) {
  distributed::Meeting meeting(num_ranks);
  return distributed::outcomes_of_ranks(num_ranks, [&](int rank) {
    distributed::ThreadRendezvous rendezvous(meeting, rank, num_ranks);
    NcclAllreduce group(cuda_host::nccl_on_host(), rendezvous, options);
    work(group);
  });
}

}  // namespace mlp::cuda
