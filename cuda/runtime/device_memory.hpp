// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mlp::cuda {

/// Allocates memory of the device, or returns null for 0 bytes.
///
/// \throws ResourceError naming the bytes wanted and the bytes free
[[nodiscard]] void* allocate(std::size_t bytes);

/// Frees memory of the device; null is allowed.
void release(void* memory) noexcept;

/// Allocates memory of the host that the device can copy without a detour.
///
/// \throws ResourceError if the host has too little
[[nodiscard]] void* allocate_pinned(std::size_t bytes);

/// Frees pinned memory; null is allowed.
void release_pinned(void* memory) noexcept;

/// The memory of the device of this thread.
struct MemoryOfDevice {
  std::size_t free_bytes = 0;  ///< that nobody uses
  std::size_t total_bytes = 0;
};
[[nodiscard]] MemoryOfDevice memory_of_device();

}  // namespace mlp::cuda
