// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/index.hpp"
#include "cuda_check.hpp"
#include "device_memory.hpp"
#include "stream.hpp"

namespace mlp::cuda {

/// Numbers in the memory of the device. Fresh memory has no defined content.
///
/// \tparam T  trivially copyable
template <typename T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;

  /// \throws ResourceError naming the bytes wanted and the bytes free
  explicit DeviceArray(Index size)
      : numbers_(static_cast<T*>(
            allocate(static_cast<std::size_t>(size) * sizeof(T)))),
        size_(size) {}

  DeviceArray(DeviceArray&& other) noexcept
      : numbers_(std::exchange(other.numbers_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { release(numbers_); }

  [[nodiscard]] T* data() { return numbers_; }
  [[nodiscard]] const T* data() const { return numbers_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size_bytes() const {
    return static_cast<std::size_t>(size_) * sizeof(T);
  }

  /// Copies numbers of the host to the start. The source may be changed at once
  /// unless it is pinned.
  ///
  /// \pre numbers.size() <= size()
  void upload(std::span<const T> numbers, const Stream& stream) {
    if (numbers.empty()) return;
    check(cudaMemcpyAsync(numbers_, numbers.data(), numbers.size_bytes(),
                          cudaMemcpyHostToDevice, stream.get()),
          "cudaMemcpyAsync");
  }

  /// Copies all numbers to the host, and waits for them.
  [[nodiscard]] std::vector<T> download(const Stream& stream) const {
    std::vector<T> numbers(static_cast<std::size_t>(size_));
    download(std::span<T>(numbers), stream);
    return numbers;
  }

  /// Copies numbers from the start to the host, and waits for them.
  ///
  /// \pre numbers.size() <= size()
  void download(std::span<T> numbers, const Stream& stream) const {
    if (numbers.empty()) return;
    check(cudaMemcpyAsync(numbers.data(), numbers_, numbers.size_bytes(),
                          cudaMemcpyDeviceToHost, stream.get()),
          "cudaMemcpyAsync");
    stream.synchronize();
  }

  /// Sets every byte to 0.
  void clear(const Stream& stream) {
    if (size_ == 0) return;
    check(cudaMemsetAsync(numbers_, 0, size_bytes(), stream.get()),
          "cudaMemsetAsync");
  }

 private:
  T* numbers_ = nullptr;
  Index size_ = 0;
};

}  // namespace mlp::cuda
