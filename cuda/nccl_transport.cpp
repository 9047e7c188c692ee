// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_transport.hpp"

#include <cuda_runtime.h>

#include "../core/error.hpp"
#include "../distributed/rendezvous/rank_identity.hpp"
#include "devices.hpp"
#include "nccl/nccl_allreduce.hpp"
#include "nccl/nccl_functions.hpp"
#include "runtime/cuda_check.hpp"

namespace mlp::cuda {

namespace {

/// Returns the number of devices, at least 1.
int count_devices() {
  const DeviceReport report = find_devices();
  if (!report.refusal.empty()) {
    throw DeviceError("NCCL needs a device for each rank; " + report.refusal);
  }
  return static_cast<int>(report.devices.size());
}

}  // namespace

int nccl_device(int rank, int wanted) {
  const int count = count_devices();
  const int device = wanted >= 0 ? wanted : rank % count;
  if (device >= count) {
    throw DeviceError("NCCL: there is no device " + std::to_string(device) +
                      "; this machine has " + std::to_string(count));
  }
  return device;
}

namespace {

/// Does what may fail on this rank alone, and tells the others if it does.
NcclFunctions prepare(distributed::Rendezvous& rendezvous,
                      const NcclOptions& options) {
  try {
    check(cudaSetDevice(nccl_device(rendezvous.rank(), options.device)),
          "cudaSetDevice");
    return rendezvous.world_size() == 1 ? NcclFunctions{} : load_nccl();
  } catch (const std::exception& error) {
    distributed::excuse(rendezvous, error.what());
    throw;
  }
}

}  // namespace

std::unique_ptr<distributed::DeviceAllreduce> make_nccl_allreduce(
    distributed::Rendezvous& rendezvous, const NcclOptions& options) {
  const NcclFunctions functions = prepare(rendezvous, options);
  return std::make_unique<NcclAllreduce>(functions, rendezvous, options);
}

void require_nccl(int num_ranks) {
  const int count = count_devices();
  if (num_ranks > count) {
    throw DeviceError("NCCL: " + std::to_string(num_ranks) +
                      " ranks need a device each; this machine has " +
                      std::to_string(count) +
                      "; use fewer ranks, or --transport gloo");
  }
  static_cast<void>(load_nccl());
}

NcclProbe probe_nccl() {
  try {
    require_nccl(1);
    return {"",
            "NCCL " + nccl_version(load_nccl()) + ", between NVIDIA devices"};
  } catch (const Error& error) {
    return {error.what(), ""};
  }
}

}  // namespace mlp::cuda
