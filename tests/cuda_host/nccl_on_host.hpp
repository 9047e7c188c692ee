// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "../../cuda/nccl/nccl_functions.hpp"

/// The functions of NCCL for ranks that are threads of one process, each with an
/// emulated device. Sums are added in the order of the ranks.
namespace mlp::cuda_host {

/// What NCCL leaves open, or does only on some machines.
struct NcclSettings {
  /// How often a call that does not block is in progress before it is done.
  int num_polls = 2;

  /// NCCL reports an error to the ranks that wait for a rank which has left;
  /// otherwise they wait for ever.
  bool notices_lost_ranks = false;

  /// The call that fails next with an internal error, such as ncclAllReduce; or
  /// null.
  std::atomic<const char*> failing_call{nullptr};

  int version = 22809;
};

/// Returns the settings of later calls. Set them while no rank runs.
[[nodiscard]] NcclSettings& nccl_settings();

/// What no program may do throws KernelError: sums of different counts or types,
/// calls while another one is in progress, groups that are used after their end.
[[nodiscard]] cuda::NcclFunctions nccl_on_host();

/// Returns the number of groups that were not destroyed or aborted.
[[nodiscard]] std::size_t num_live_groups();

}  // namespace mlp::cuda_host
