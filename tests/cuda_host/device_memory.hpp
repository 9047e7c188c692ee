// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// The memory of the emulated device. Each thread has a device of its own.
///
/// The host cannot touch it: an access outside a kernel, a copy or a fill ends
/// the program with SIGSEGV, as does an access behind its last page.
namespace mlp::cuda_host {

/// Allocates memory filled with the byte of execution_settings().
///
/// \return an address that is a multiple of 256
/// \throws std::bad_alloc if more than memory_limit() would be in use
[[nodiscard]] void* allocate_device_memory(std::size_t bytes);

/// Frees memory; null is allowed.
///
/// \throws KernelError if the address was not allocated, or if somebody wrote
///         behind the end
void free_device_memory(void* address);

/// The number of bytes that the device has.
[[nodiscard]] std::size_t& memory_limit();

/// Returns the number of bytes in use.
[[nodiscard]] std::size_t used_device_memory();

/// Throws unless a range is in one allocation.
///
/// \throws KernelError naming the size that is left
void check_device_range(const void* address, std::size_t bytes);

/// Throws unless an address is a multiple of the bytes that are accessed at once, as
/// a device requires.
///
/// \throws KernelError naming the bytes
void check_alignment(const void* address, std::size_t bytes);

/// Makes the memory of the device accessible during its lifetime.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

}  // namespace mlp::cuda_host
