// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <string>

#include "execution_settings.hpp"
#include "kernel_error.hpp"

namespace mlp::cuda_host {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::byte kGuardByte{0xa5};

/// Whole pages, with one behind them that nobody may access. The memory ends as
/// near to that page as its alignment allows.
struct Allocation {
  std::byte* pages = nullptr;
  std::size_t num_page_bytes = 0;  ///< without the page behind
  std::size_t size = 0;
};

/// The allocations of one device by address, and how many DeviceAccess there are.
struct Memory {
  std::map<const std::byte*, Allocation> allocations;
  std::size_t used = 0;
  int num_accesses = 0;
};

Memory& memory() {
  thread_local Memory memory;
  return memory;
}

void protect(const Allocation& allocation, int protection) {
  if (::mprotect(allocation.pages, allocation.num_page_bytes, protection)) {
    throw KernelError("the memory of the device cannot be protected");
  }
}

void protect_all(int protection) {
  for (const auto& entry : memory().allocations) {
    protect(entry.second, protection);
  }
}

/// Returns true if nobody wrote between the end and the page behind it.
bool is_guard_intact(const std::byte* address, const Allocation& allocation) {
  const std::byte* const end = allocation.pages + allocation.num_page_bytes;
  return std::all_of(address + allocation.size, end,
                     [](std::byte byte) { return byte == kGuardByte; });
}

std::string text_of(const void* address) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace

void* allocate_device_memory(std::size_t bytes) {
  if (bytes > memory_limit() - memory().used) throw std::bad_alloc();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t rounded =
      (bytes + kAlignment - 1) / kAlignment * kAlignment;
  Allocation made;
  made.size = bytes;
  made.num_page_bytes = (std::max(rounded, page) + page - 1) / page * page;
  void* const pages =
      ::mmap(nullptr, made.num_page_bytes + page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  made.pages = static_cast<std::byte*>(pages);
  std::byte* const address = made.pages + made.num_page_bytes - rounded;
  std::fill_n(address, bytes,
              static_cast<std::byte>(execution_settings().fill));
  std::fill(address + bytes, made.pages + made.num_page_bytes, kGuardByte);
  ::mprotect(made.pages + made.num_page_bytes, page, PROT_NONE);
  if (memory().num_accesses == 0) protect(made, PROT_NONE);
  memory().allocations[address] = made;
  memory().used += bytes;
  return address;
}

void free_device_memory(void* address) {
  if (address == nullptr) return;
  auto& allocations = memory().allocations;
  const auto found = allocations.find(static_cast<std::byte*>(address));
  if (found == allocations.end()) {
    throw KernelError("address " + text_of(address) +
                      " is freed, but was not allocated");
  }
  const Allocation freed = found->second;
  allocations.erase(found);
  memory().used -= freed.size;
  protect(freed, PROT_READ);
  const bool is_intact =
      is_guard_intact(static_cast<std::byte*>(address), freed);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  ::munmap(freed.pages, freed.num_page_bytes + page);
  if (is_intact) return;
  throw KernelError("a kernel wrote behind the " + std::to_string(freed.size) +
                    " bytes of an allocation");
}

std::size_t& memory_limit() {
  static std::size_t limit = std::size_t{8} << 30;
  return limit;
}

std::size_t used_device_memory() { return memory().used; }

void check_device_range(const void* address, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(address);
  const auto& allocations = memory().allocations;
  auto found = allocations.upper_bound(first);
  if (found != allocations.begin()) {
    --found;
    const auto offset = static_cast<std::size_t>(first - found->first);
    const std::size_t size = found->second.size;
    if (offset <= size && bytes <= size - offset) return;
    if (offset <= size) {
      throw KernelError("a copy of " + std::to_string(bytes) +
                        " bytes exceeds an allocation, which has " +
                        std::to_string(size - offset) + " bytes left");
    }
  }
  throw KernelError("address " + text_of(address) +
                    " is not in the memory of the device");
}

void check_alignment(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
  throw KernelError("address " + text_of(address) +
                    " is not a multiple of the " + std::to_string(bytes) +
                    " bytes that are accessed at once");
}

DeviceAccess::DeviceAccess() {
  if (memory().num_accesses++ == 0) protect_all(PROT_READ | PROT_WRITE);
}

DeviceAccess::~DeviceAccess() {
  if (--memory().num_accesses == 0) protect_all(PROT_NONE);
}

}  // namespace mlp::cuda_host
