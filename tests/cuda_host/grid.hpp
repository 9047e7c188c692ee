// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Runs the blocks and threads of a kernel on the CPU, by the rules of CUDA.

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "code_place.hpp"
#include "vector_types.hpp"

namespace mlp::cuda_host {

/// The size of a launch.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  ///< of dynamic shared memory
};

/// Runs a kernel: calls the body once for each thread of each block.
///
/// Each thread is a fiber. Only one of them runs at a time, and it is replaced
/// only where it waits for others. The order of the threads is that of
/// execution_settings().
/// \throws KernelError if the shape is not allowed, if a thread returns while
///         others wait for it, if threads wait at different places, or if a
///         block writes outside its shared memory; what the body throws
/// \source CUDA C++ Programming Guide, sections Thread Hierarchy,
///         Synchronization Functions and Warp Shuffle Functions
void run_grid(const LaunchShape& shape, const std::function<void()>& body);

/// The place of the thread that runs.
struct ThreadPlace {
  uint3 thread;
  uint3 block;
  dim3 block_size;
  dim3 grid_size;

  /// Of the warp, 0 to 31.
  unsigned lane = 0;
};

/// \pre a kernel runs
[[nodiscard]] const ThreadPlace& this_thread();

/// Returns the dynamic shared memory of the block that runs.
[[nodiscard]] void* shared_memory();

/// Waits for all threads of the block.
void wait_for_block(CodePlace where);

/// The largest value that lanes of a warp exchange.
inline constexpr std::size_t kMaxExchangedBytes = 16;

/// The values of the lanes of a warp   [32]; those outside the mask are 0.
using WarpBytes = std::array<std::array<std::byte, kMaxExchangedBytes>, 32>;

/// Waits for the lanes of a mask and returns what each of them passed.
[[nodiscard]] const WarpBytes& exchange_bytes(unsigned mask, const void* value,
                                              std::size_t bytes,
                                              CodePlace where);

/// Waits for the lanes of a mask and returns the value of one of them.
///
/// \param source  the lane to read; that of the caller if it is not in the mask
template <typename Value>
Value read_lane(unsigned mask, Value value, unsigned source, CodePlace where) {
  static_assert(std::is_trivially_copyable_v<Value>);
  static_assert(sizeof(Value) <= kMaxExchangedBytes);
  const WarpBytes& values = exchange_bytes(mask, &value, sizeof value, where);
  if (source < 32 && (mask >> source & 1U) != 0) {
    std::memcpy(&value, values[source].data(), sizeof value);
  }
  return value;
}

}  // namespace mlp::cuda_host
