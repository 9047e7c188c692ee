// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"

/// Threads that share the work of reading one file.
namespace mlp::datasets::detail {

/// The sizes of the pieces in which threads read a file. They never change the
/// result; tests use small ones, so that small files have many pieces.
struct PieceSizes {
  /// The size of a file in bytes for which one more thread saves time.
  std::size_t thread_bytes = std::size_t{1} << 20;

  /// The minimum size of a piece of text in bytes, except for the last one. It
  /// fits in a cache and is large enough to outweigh the cost of starting a task.
  std::size_t piece_bytes = std::size_t{256} << 10;

  /// The number of values of a binary file that one task decodes.
  std::size_t task_values = std::size_t{1} << 16;
};

/// The threads that read one file.
class ReaderThreads {
 public:
  /// Starts one thread per sizes.thread_bytes bytes of the file, up to
  /// num_threads. If the machine cannot start them, only the calling thread
  /// reads.
  ///
  /// \param num_threads  maximum number of threads, including the calling one
  /// \param num_bytes    size of the file
  ReaderThreads(int num_threads, std::size_t num_bytes,
                const PieceSizes& sizes = {}) {
    const auto most = static_cast<std::size_t>(std::max(num_threads, 1));
    const std::size_t useful =
        std::clamp<std::size_t>(num_bytes / sizes.thread_bytes, 1, most);
    try {
      pool_.emplace(static_cast<int>(useful));
    } catch (const ResourceError&) {
      pool_.emplace(1);
    }
  }

  [[nodiscard]] ThreadPool& pool() { return *pool_; }

  /// Runs task(i) for i = 0 .. num_tasks - 1.
  ///
  /// \throws the exception of the failed task with the smallest i, so that the
  ///         reported error does not depend on the timing of threads
  template <typename Task>
  void for_each(Index num_tasks, const Task& task) {
    std::atomic<Index> first_failed = num_tasks;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(num_tasks));
    pool_->parallel_for(num_tasks, [&](Index i, int) {
      if (i > first_failed) return;
      try {
        task(i);
      } catch (...) {
        errors[static_cast<std::size_t>(i)] = std::current_exception();
        Index failed = first_failed;
        while (i < failed && !first_failed.compare_exchange_weak(failed, i)) {
        }
      }
    });
    if (first_failed < num_tasks) {
      std::rethrow_exception(errors[static_cast<std::size_t>(first_failed)]);
    }
  }

 private:
  std::optional<ThreadPool> pool_;
};

}  // namespace mlp::datasets::detail
