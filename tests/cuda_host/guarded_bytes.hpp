// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace mlp::cuda_host {

/// Memory between two guards, which tell if somebody wrote beside it.
class GuardedBytes {
 public:
  /// \param size  in bytes
  /// \param fill  the value of each byte
  GuardedBytes(std::size_t size, std::uint8_t fill)
      : size_(size), bytes_(new (kAlignment) std::byte[size + 2 * kGuard]) {
    std::fill_n(bytes_.get(), size + 2 * kGuard, kGuardByte);
    std::fill_n(data(), size, static_cast<std::byte>(fill));
  }

  /// Returns the first byte, at an address that is a multiple of 256.
  [[nodiscard]] std::byte* data() { return bytes_.get() + kGuard; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns true if the guards are unchanged.
  [[nodiscard]] bool is_intact() const {
    const auto is_guard = [](std::byte byte) { return byte == kGuardByte; };
    const std::byte* const end = bytes_.get() + kGuard + size_;
    return std::all_of(bytes_.get(), bytes_.get() + kGuard, is_guard) &&
           std::all_of(end, end + kGuard, is_guard);
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr std::align_val_t kAlignment{256};
  static constexpr std::byte kGuardByte{0xa5};

  struct Delete {
    void operator()(std::byte* bytes) const {
      ::operator delete[](bytes, kAlignment);
    }
  };

  std::size_t size_;
  std::unique_ptr<std::byte[], Delete> bytes_;
};

}  // namespace mlp::cuda_host
