// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "sha256.hpp"

namespace mlp {

/// Computes SHA-256 on a separate thread, while the caller makes or reads more
/// bytes.
///
/// The thread starts when many bytes wait. Few bytes, and those of a machine that
/// cannot start a thread, are hashed by the caller in hex().
class Sha256Thread {
 public:
  Sha256Thread() = default;
  Sha256Thread(const Sha256Thread&) = delete;
  Sha256Thread& operator=(const Sha256Thread&) = delete;

  /// Gives up the bytes that still wait.
  ~Sha256Thread() {
    {
      const std::lock_guard lock(mutex_);
      parts_.clear();
    }
    close();
  }

  /// Adds bytes.
  ///
  /// \param bytes  must stay where they are until wait() or hex() returns
  void update(std::string_view bytes) {
    if (bytes.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      parts_.push_back(bytes);
      num_bytes_ += bytes.size();
    }
    changed_.notify_all();
    if (!thread_.joinable() && num_bytes_ >= kLeastBytes) start();
  }

  /// Returns when all bytes were hashed: they may then move.
  void wait() {
    if (!thread_.joinable()) return hash_waiting();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return parts_.empty() && !is_hashing_; });
  }

  /// Returns the digest of all bytes as 64 lower-case hexadecimal digits. No
  /// more can be added.
  [[nodiscard]] std::string hex() {
    close();
    hash_waiting();
    return hash_.hex();
  }

 private:
  static constexpr std::size_t kLeastBytes = std::size_t{1} << 20;

  /// The thread looks for its end after so many bytes.
  static constexpr std::size_t kPartBytes = std::size_t{1} << 20;

  void start() {
    if (has_failed_) return;
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error&) {
      has_failed_ = true;
    }
  }

  void close() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_closing_ || !parts_.empty(); });
      if (parts_.empty()) return;
      const std::string_view part = take_part();
      is_hashing_ = true;
      lock.unlock();
      hash_.update(part);
      lock.lock();
      is_hashing_ = false;
      if (parts_.empty()) changed_.notify_all();
    }
  }

  std::string_view take_part() {
    std::string_view& first = parts_.front();
    const std::string_view part = first.substr(0, kPartBytes);
    first.remove_prefix(part.size());
    if (first.empty()) parts_.pop_front();
    return part;
  }

  /// \pre no thread runs
  void hash_waiting() {
    for (const std::string_view part : parts_) hash_.update(part);
    parts_.clear();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string_view> parts_;  // that wait
  bool is_hashing_ = false;
  bool is_closing_ = false;
  bool has_failed_ = false;    // the machine cannot start a thread
  std::size_t num_bytes_ = 0;  // added
  Sha256 hash_;                // of the thread while it runs
  std::thread thread_;
};

}  // namespace mlp
