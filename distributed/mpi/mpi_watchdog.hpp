// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace mlp::distributed {

/// Reports a call that takes longer than a deadline, from a separate thread.
///
/// The begin and the end of a call store at most two numbers and wake no thread:
/// the thread sleeps for one deadline after each look, and a call that begins
/// after a look cannot be late before the next.
class MpiWatchdog {
 public:
  /// \param deadline_seconds  > 0; infinite: nothing is watched
  /// \param on_late  called once, with the name of the call that is late
  MpiWatchdog(double deadline_seconds, std::function<void(const char*)> on_late)
      : deadline_(deadline_seconds), on_late_(std::move(on_late)) {
    if (deadline_seconds < kLongestWait)
      thread_ = std::thread([this] { run(); });
  }

  MpiWatchdog(const MpiWatchdog&) = delete;
  MpiWatchdog& operator=(const MpiWatchdog&) = delete;

  ~MpiWatchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// Watches a call during its lifetime. Only one object may exist at a time.
  class Call {
   public:
    /// \param name  of static storage duration
    Call(MpiWatchdog& watchdog, const char* name) : watchdog_(watchdog) {
      watchdog_.name_.store(name);
      watchdog_.begin_.store(now());
    }

    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    ~Call() { watchdog_.begin_.store(kNone); }

   private:
    MpiWatchdog& watchdog_;
  };

 private:
  using Seconds = std::chrono::duration<double>;

  static constexpr double kNone = -1.0;
  // About three years, which the waits of the standard library accept.
  static constexpr double kLongestWait = 1e8;

  /// Seconds since an unknown, fixed time.
  static double now() {
    return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      const double time = now();
      const double begin = begin_.load();
      const double end = (begin == kNone ? time : begin) + deadline_;
      if (time >= end) {
        lock.unlock();
        on_late_(name_.load());
        return;
      }
      changed_.wait_for(lock, Seconds(end - time));
    }
  }

  double deadline_;
  std::function<void(const char*)> on_late_;
  std::atomic<double> begin_{kNone};
  std::atomic<const char*> name_{""};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace mlp::distributed
