// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "error.hpp"
#include "types.hpp"

namespace mlp {

/// A fixed set of threads that run the iterations of a loop.
///
/// The calling thread takes part, so a pool of one thread starts no others. A
/// thread that has nothing to do looks for work for a short time before it sleeps:
/// to wake it takes as long as a small evaluation.
class ThreadPool {
 public:
  /// \param num_threads  includes the calling thread; less than 1 counts as 1
  /// \throws ResourceError if the machine cannot start that many threads
  explicit ThreadPool(int num_threads)
      : may_look_(num_threads > 1 && num_threads <= num_processors()) {
    try {
      for (int thread = 1; thread < num_threads; ++thread) {
        workers_.emplace_back([this, thread] { serve(thread); });
      }
    } catch (const std::exception& error) {
      // Out of memory too: threads that are not joined would end the process.
      const std::size_t started = workers_.size() + 1;
      close();
      throw ResourceError("could not start " + std::to_string(num_threads) +
                          " threads; got " + std::to_string(started) + ": " +
                          error.what());
    }
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  ~ThreadPool() { close(); }

  [[nodiscard]] int num_threads() const {
    return static_cast<int>(workers_.size()) + 1;
  }

  /// Runs task(i, thread) once for each i in 0 .. num_tasks - 1, in any order.
  ///
  /// Returns when all tasks are done. `thread` is the index of the running
  /// thread, in 0 .. num_threads() - 1.
  /// \throws the first exception that a task threw; tasks that have not started
  ///         are then skipped
  void parallel_for(Index num_tasks,
                    const std::function<void(Index, int)>& task) {
    if (workers_.empty() || num_tasks <= 1) {
      for (Index i = 0; i < num_tasks; ++i) task(i, 0);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      num_tasks_ = num_tasks;
      next_ = 0;
      error_ = nullptr;
      busy_ = static_cast<int>(workers_.size());
      ++generation_;
    }
    wake_.notify_all();
    work(0);
    const auto is_done = [this] { return busy_ == 0; };
    look_for(is_done);
    std::unique_lock lock(mutex_);
    done_.wait(lock, is_done);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Threads look for work for so long: a few times what waking one takes.
  static constexpr std::chrono::microseconds kLooking{50};

  /// The system reads a file to tell, which takes longer than an evaluation.
  static int num_processors() {
    static const auto number =
        static_cast<int>(std::thread::hardware_concurrency());
    return number;
  }

  /// Returns when the condition holds, or after kLooking. If there are more
  /// threads than processors, another thread needs the processor: it returns at
  /// once.
  template <class Condition>
  void look_for(const Condition& holds) const {
    constexpr int kLooksPerTime = 32;
    if (!may_look_) return;
    const auto end = std::chrono::steady_clock::now() + kLooking;
    do {
      for (int look = 0; look < kLooksPerTime; ++look) {
        if (holds()) return;
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
      }
    } while (std::chrono::steady_clock::now() < end);
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  void serve(int thread) {
    unsigned seen = 0;
    const auto is_called = [&] { return is_closing_ || generation_ != seen; };
    while (true) {
      look_for(is_called);
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, is_called);
        if (is_closing_) return;
        seen = generation_;
      }
      work(thread);
      if (--busy_ > 0) continue;
      const std::lock_guard lock(mutex_);
      done_.notify_one();
    }
  }

  void work(int thread) {
    for (Index i = next_++; i < num_tasks_; i = next_++) {
      try {
        (*task_)(i, thread);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = num_tasks_;
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(Index, int)>* task_ = nullptr;
  Index num_tasks_ = 0;
  std::atomic<Index> next_{0};
  std::exception_ptr error_;
  std::atomic<int> busy_{0};
  std::atomic<unsigned> generation_{0};
  std::atomic<bool> is_closing_{false};
  const bool may_look_;  // false if threads are more than processors
  std::vector<std::thread> workers_;
};

}  // namespace mlp
