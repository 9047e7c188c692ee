// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_context.hpp"

#include <algorithm>

#include "../runtime/cuda_check.hpp"
#include "../runtime/device_memory.hpp"

namespace mlp::cuda {

namespace {

/// Makes a device the one that calls of this thread mean.
int select(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

}  // namespace

DeviceContext::DeviceContext(int device, std::size_t limit_bytes,
                             const CublasFunctions& functions)
    : device_(select(device)),
      limit_bytes_(limit_bytes),
      products_(stream_, functions) {}

std::unique_lock<std::mutex> DeviceContext::lock() {
  std::unique_lock<std::mutex> lock(mutex_);
  select(device_);
  return lock;
}

DeviceBytes DeviceContext::bytes() const {
  constexpr std::size_t kOwnBytes = MatrixProducts::kWorkspaceBytes;
  // The driver cannot give all that is free in the pieces that are wanted.
  constexpr std::size_t kShares = 16;
  const MemoryOfDevice memory = memory_of_device();
  const std::size_t limit = limit_bytes_ == 0
                                ? memory.total_bytes
                                : std::min(limit_bytes_, memory.total_bytes);
  DeviceBytes bytes;
  bytes.budget = limit - std::min(limit, kOwnBytes);
  bytes.available =
      std::min(bytes.budget, memory.free_bytes - memory.free_bytes / kShares);
  return bytes;
}

}  // namespace mlp::cuda
