// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace mlp {

/// The first bytes of an allocation, whose pages go back to the system while a
/// computation does not need them.
///
/// Released memory stays allocated: it can be written again, and then takes pages
/// again. Until then its contents are unspecified.
class PageRelease {
 public:
  /// Releases nothing.
  PageRelease() = default;

  /// \param memory  allocated memory, writable; not a mapping that is shared with
  ///                other processes
  explicit PageRelease(void* memory)
      : begin_(reinterpret_cast<std::uintptr_t>(memory)), end_(begin_) {}

  /// Releases the pages in front of a byte. Pages that begin before the memory or
  /// end behind the byte stay, and so do all if the system refuses.
  ///
  /// \param bytes  of the memory, from its beginning
  void release_first([[maybe_unused]] std::size_t bytes) {
#ifdef MADV_DONTNEED
    const std::uintptr_t begin = round_up(end_);
    const std::uintptr_t end = (begin_ + bytes) / kGrain * kGrain;
    if (begin_ == 0 || end <= begin) return;
    void* const pages = reinterpret_cast<void*>(begin);
    if (::madvise(pages, end - begin, MADV_DONTNEED) == 0) end_ = end;
#endif
  }

  /// Returns a number of bytes from the beginning; behind them, nothing was
  /// released.
  [[nodiscard]] std::size_t end() const { return end_ - begin_; }

 private:
  /// Bytes that are released at once. It is the size of a huge page: a part of
  /// one does not go back to the system.
  static constexpr std::uintptr_t kGrain = std::uintptr_t{1} << 21;

  static std::uintptr_t round_up(std::uintptr_t address) {
    return (address + kGrain - 1) / kGrain * kGrain;
  }

  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;  // behind what was released, or begin_
};

}  // namespace mlp
