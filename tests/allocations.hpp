// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replaces operator new of a whole test program, so that a test counts the
// allocations of a call, or makes one of them fail. One source of a program may
// include it.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

// The thread sanitizer has its own operator new: nothing is counted, nothing fails.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MLP_COUNTS_NO_ALLOCATIONS
#endif
#endif

namespace mlp::testing {

inline std::atomic<int> num_allocations{0};

/// How many allocations of this thread succeed before one fails; negative: none
/// fails.
inline thread_local int allocations_until_failure = -1;

/// Makes one allocation of this thread fail while this object lives.
class AllocationFailure {
 public:
  /// \param num_before  how many succeed before
  explicit AllocationFailure(int num_before) {
    allocations_until_failure = num_before;
  }
  AllocationFailure(const AllocationFailure&) = delete;
  AllocationFailure& operator=(const AllocationFailure&) = delete;
  ~AllocationFailure() { allocations_until_failure = -1; }

  /// True if the allocation has failed.
  [[nodiscard]] static bool has_happened() {
    return allocations_until_failure < 0;
  }
};

}  // namespace mlp::testing

#ifndef MLP_COUNTS_NO_ALLOCATIONS
namespace mlp::testing {

inline void* allocate(std::size_t size, std::size_t alignment) {
  ++num_allocations;
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) {
    throw std::bad_alloc();
  }
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace mlp::testing

// Not inlined, because g++ 12 then takes free() for the wrong function.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return mlp::testing::allocate(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size,
                                     std::align_val_t alignment) {
  return mlp::testing::allocate(size, static_cast<std::size_t>(alignment));
}
// As every form is freed here, every form has to be made here.
[[gnu::noinline]] void* operator new(std::size_t size,
                                     const std::nothrow_t&) noexcept {
  ++mlp::testing::num_allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t,
                                       std::align_val_t) noexcept {
  std::free(memory);
}

#endif
