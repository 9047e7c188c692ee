// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../../core/index.hpp"

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

/// Numbers in memory that a function allocates and another one releases. Fresh memory has
/// no defined content.
///
/// \tparam T  trivially copyable
template <typename T, void* (*allocate_bytes)(std::size_t),
          void (*release_bytes)(void*) noexcept>
class MemoryArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  MemoryArray() = default;

  /// \throws as allocate_bytes()
  explicit MemoryArray(Index size)
      : numbers_(static_cast<T*>(
            allocate_bytes(static_cast<std::size_t>(size) * sizeof(T)))),
        size_(size) {}

  MemoryArray(MemoryArray&& other) noexcept
      : numbers_(std::exchange(other.numbers_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  MemoryArray& operator=(MemoryArray&& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MemoryArray() { release_bytes(numbers_); }

  [[nodiscard]] T* data() { return numbers_; }
  [[nodiscard]] const T* data() const { return numbers_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  T* numbers_ = nullptr;
  Index size_ = 0;
};

/// The memory of the device of this thread.
struct MemoryOfDevice {
  std::size_t free_bytes = 0;  ///< that nobody uses
  std::size_t total_bytes = 0;
};
[[nodiscard]] MemoryOfDevice memory_of_device();

}  // namespace mlp::cuda
