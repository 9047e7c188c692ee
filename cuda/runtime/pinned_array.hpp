// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../../core/index.hpp"
#include "device_memory.hpp"

namespace mlp::cuda {

/// Numbers of the host that the device copies while the host goes on. Fresh
/// memory has no defined content.
///
/// \tparam T  trivially copyable
template <typename T>
class PinnedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedArray() = default;

  /// \throws ResourceError if the host has too little memory
  explicit PinnedArray(Index size)
      : numbers_(static_cast<T*>(
            allocate_pinned(static_cast<std::size_t>(size) * sizeof(T)))),
        size_(size) {}

  PinnedArray(PinnedArray&& other) noexcept
      : numbers_(std::exchange(other.numbers_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedArray() { release_pinned(numbers_); }

  [[nodiscard]] T* data() { return numbers_; }
  [[nodiscard]] const T* data() const { return numbers_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] T& operator[](Index i) { return numbers_[i]; }
  [[nodiscard]] const T& operator[](Index i) const { return numbers_[i]; }

 private:
  T* numbers_ = nullptr;
  Index size_ = 0;
};

}  // namespace mlp::cuda
