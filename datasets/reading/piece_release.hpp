// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace mlp::datasets::detail {

/// The bytes of a file whose memory goes back to the system while threads read
/// them piece by piece. Nobody may read them again.
class PieceRelease {
 public:
  /// \param bytes        of the first piece: allocated memory, writable, not a
  ///                     mapping that is shared with other processes
  /// \param piece_bytes  size of each piece but the last
  PieceRelease(void* bytes, std::size_t piece_bytes, std::size_t num_pieces)
      : begin_(reinterpret_cast<std::uintptr_t>(bytes)),
        end_(begin_),
        piece_bytes_(piece_bytes),
        is_read_(num_pieces) {}

  /// Tells that a piece was read. Its memory is released once all pieces in front
  /// of it were read too. Threads may call this at the same time.
  void finish(std::size_t piece) {
    const std::lock_guard lock(mutex_);
    is_read_[piece] = true;
    while (num_first_ < is_read_.size() && is_read_[num_first_]) ++num_first_;
    // Where the last piece ends is unknown.
    const bool has_last = num_first_ == is_read_.size();
    const std::size_t num_whole = num_first_ - (has_last ? 1 : 0);
    release_first(num_whole * piece_bytes_);
  }

  /// Returns a number of bytes from the beginning; behind them, nothing was
  /// released.
  [[nodiscard]] std::size_t end() const { return end_ - begin_; }

 private:
  /// Bytes that are released at once. It is the size of a huge page: a part of
  /// one does not go back to the system.
  static constexpr std::uintptr_t kGrain = std::uintptr_t{1} << 21;

  /// Pages that begin before the bytes or end behind them stay, and so do all if the
  /// system refuses.
  void release_first([[maybe_unused]] std::size_t bytes) {
#ifdef MADV_DONTNEED
    const std::uintptr_t begin = (end_ + kGrain - 1) / kGrain * kGrain;
    const std::uintptr_t end = (begin_ + bytes) / kGrain * kGrain;
    if (end <= begin) return;
    void* const pages = reinterpret_cast<void*>(begin);
    if (::madvise(pages, end - begin, MADV_DONTNEED) == 0) end_ = end;
#endif
  }

  std::mutex mutex_;
  std::uintptr_t begin_;
  std::uintptr_t end_;  // behind what was released, or begin_
  std::size_t piece_bytes_;
  std::vector<bool> is_read_;  // of each piece
  std::size_t num_first_ =
      0;  // pieces in front of the first one that is unread
};

}  // namespace mlp::datasets::detail
