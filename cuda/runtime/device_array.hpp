// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device_copy.hpp"
#include "device_memory.hpp"
#include "stream.hpp"

namespace mlp::cuda {

/// Numbers in the memory of the device.
///
/// \tparam T  trivially copyable
template <typename T>
class DeviceArray : public MemoryArray<T, allocate, release> {
 public:
  using MemoryArray<T, allocate, release>::MemoryArray;

  [[nodiscard]] std::size_t size_bytes() const {
    return static_cast<std::size_t>(this->size()) * sizeof(T);
  }

  /// Copies numbers of the host to the start. The source may be changed at once
  /// unless it is pinned.
  ///
  /// \pre numbers.size() <= size()
  void upload(std::span<const T> numbers, const Stream& stream) {
    copy_to_device(numbers.data(), static_cast<Index>(numbers.size()),
                   this->data(), stream);
  }

  /// Copies all numbers to the host, and waits for them.
  [[nodiscard]] std::vector<T> download(const Stream& stream) const {
    std::vector<T> numbers(static_cast<std::size_t>(this->size()));
    download(std::span<T>(numbers), stream);
    return numbers;
  }

  /// Copies numbers from the start to the host, and waits for them.
  ///
  /// \pre numbers.size() <= size()
  void download(std::span<T> numbers, const Stream& stream) const {
    copy_to_host(this->data(), static_cast<Index>(numbers.size()),
                 numbers.data(), stream);
    stream.synchronize();
  }

  /// Sets every byte to 0.
  void clear(const Stream& stream) {
    clear_on_device(this->data(), this->size(), stream);
  }
};

}  // namespace mlp::cuda
