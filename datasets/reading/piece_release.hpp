// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "../../core/memory/page_release.hpp"

namespace mlp::datasets::detail {

/// The bytes of a file whose memory goes back to the system while threads read
/// them piece by piece. Nobody may read them again.
class PieceRelease {
 public:
  /// \param bytes        of the first piece
  /// \param piece_bytes  size of each piece but the last
  PieceRelease(void* bytes, std::size_t piece_bytes, std::size_t num_pieces)
      : pages_(bytes), piece_bytes_(piece_bytes), is_read_(num_pieces) {}

  /// Tells that a piece was read. Its memory is released once all pieces in front
  /// of it were read too. Threads may call this at the same time.
  void finish(std::size_t piece) {
    const std::lock_guard lock(mutex_);
    is_read_[piece] = true;
    while (num_first_ < is_read_.size() && is_read_[num_first_]) ++num_first_;
    // Where the last piece ends is unknown.
    const bool has_last = num_first_ == is_read_.size();
    const std::size_t num_whole = num_first_ - (has_last ? 1 : 0);
    pages_.release_first(num_whole * piece_bytes_);
  }

  /// Returns a number of bytes from the beginning; behind them, nothing was
  /// released.
  [[nodiscard]] std::size_t end() const { return pages_.end(); }

 private:
  std::mutex mutex_;
  PageRelease pages_;
  std::size_t piece_bytes_;
  std::vector<bool> is_read_;  // of each piece
  std::size_t num_first_ =
      0;  // pieces in front of the first one that is unread
};

}  // namespace mlp::datasets::detail
