// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Passes on the texts that several threads make, in the order of their numbers.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "types.hpp"

namespace mlp {

/// Receives pieces of a text one after another.
using TextSink = std::function<void(std::string_view)>;

/// Passes the pieces of a text on in their order, which several threads make in any
/// order.
///
/// One of the threads that add pieces passes them on, while the others make the
/// next ones. Few pieces are stored at a time: a thread that is far ahead waits.
class OrderedPieces {
 public:
  /// \param sink         is called by one thread at a time
  /// \param num_threads  the number of threads that add pieces
  OrderedPieces(TextSink sink, int num_threads)
      : sink_(std::move(sink)),
        waiting_(static_cast<std::size_t>(kPiecesPerThread) *
                 static_cast<std::size_t>(num_threads)) {}

  /// Adds a piece and passes on all pieces whose turn it is.
  ///
  /// \param         number  0 for the first piece; each number is added once, and
  ///                        threads start with small numbers
  /// \param[in,out] text    is then some other text, whose memory can be used again
  /// \return false after cancel(), or if the sink has thrown in another thread; the
  ///         piece is then dropped
  /// \throws what the sink throws; other threads then no longer wait
  bool add(Index number, std::string& text) {
    std::unique_lock lock(mutex_);
    const auto size = static_cast<Index>(waiting_.size());
    has_room_.wait(lock,
                   [&] { return is_cancelled_ || number < next_ + size; });
    if (is_cancelled_) return false;
    Piece& piece = at(number);
    piece.text.swap(text);
    piece.is_ready = true;
    if (!is_passing_) pass_on(lock);
    return !is_cancelled_;
  }

  /// Makes threads that wait return, because another one has failed.
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    has_room_.notify_all();
  }

 private:
  /// Pieces that wait for their turn.
  static constexpr int kPiecesPerThread = 3;

  struct Piece {
    std::string text;
    bool is_ready = false;
  };

  Piece& at(Index number) {
    return waiting_[static_cast<std::size_t>(number) % waiting_.size()];
  }

  /// Passes on pieces while there is a next one. Others may add pieces meanwhile.
  void pass_on(std::unique_lock<std::mutex>& lock) {
    is_passing_ = true;
    while (!is_cancelled_ && at(next_).is_ready) {
      Piece& piece = at(next_);
      lock.unlock();
      try {
        sink_(piece.text);
      } catch (...) {
        cancel();
        throw;
      }
      lock.lock();
      piece.is_ready = false;
      ++next_;
      has_room_.notify_all();
    }
    is_passing_ = false;
  }

  TextSink sink_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::vector<Piece> waiting_;  ///< the piece of a number is at its remainder
  Index next_ = 0;  ///< the number of the piece that is passed on next
  bool is_passing_ = false;
  bool is_cancelled_ = false;
};

}  // namespace mlp
