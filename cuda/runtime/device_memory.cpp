// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <string>

#include "../../core/error.hpp"
#include "cuda_check.hpp"

namespace mlp::cuda {

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw ResourceError(
        "the CUDA device has too little memory: " + std::to_string(bytes) +
        " bytes were needed in one piece, " +
        std::to_string(memory_of_device().free_bytes) +
        " are free; limit what mlp uses, free the device, or train on the CPU");
  }
  check(error, "cudaMalloc");
  return memory;
}

void release(void* memory) noexcept { static_cast<void>(cudaFree(memory)); }

void* allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return memory;
}

void release_pinned(void* memory) noexcept {
  if (memory) static_cast<void>(cudaFreeHost(memory));
}

MemoryOfDevice memory_of_device() {
  MemoryOfDevice memory;
  check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes),
        "cudaMemGetInfo");
  return memory;
}

}  // namespace mlp::cuda
