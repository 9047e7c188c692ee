// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"

namespace mlp::cpu {

/// Runs phases of parallel tasks, each phase after the one before has ended.
///
/// The threads of a pool are woken once for all phases. Every thread that is
/// awake takes tasks; the others do not wait for a thread that starts late.
class Phases {
 public:
  /// Runs task(phase, i) for all i below num_tasks[phase], phase after phase.
  ///
  /// \param task     must not throw
  /// \param on_done  on_done(phase) is called after each phase that has tasks,
  ///                 on the thread that ran its last task; must not throw
  template <class Task, class OnDone>
  void run(std::span<const Index> num_tasks, ThreadPool& pool, const Task& task,
           const OnDone& on_done) {
    if (pool.num_threads() == 1) return run(num_tasks, task, on_done);
    if (states_.size() < num_tasks.size()) {
      states_ = std::vector<State>(num_tasks.size());
    }
    for (State& state : states_) state.next = state.num_done = 0;
    const auto work_all = [&](Index, int) {
      for (std::size_t phase = 0; phase < num_tasks.size(); ++phase) {
        work(static_cast<Index>(phase), num_tasks[phase], states_[phase], task,
             on_done);
      }
    };
    // Passed by reference, because copying the function would allocate.
    pool.parallel_for(pool.num_threads(), std::cref(work_all));
  }

  /// Runs all tasks on the calling thread.
  template <class Task, class OnDone>
  static void run(std::span<const Index> num_tasks, const Task& task,
                  const OnDone& on_done) {
    for (std::size_t phase = 0; phase < num_tasks.size(); ++phase) {
      for (Index i = 0; i < num_tasks[phase]; ++i) {
        task(static_cast<Index>(phase), i);
      }
      if (num_tasks[phase] > 0) on_done(static_cast<Index>(phase));
    }
  }

 private:
  /// The progress of one phase, on its own cache line.
  struct alignas(64) State {
    std::atomic<Index> next{0};
    std::atomic<Index> num_done{0};
  };

  /// Number of times a thread checks the progress before it sleeps. The checks
  /// take some microseconds, about as long as waking a thread.
  static constexpr int kMaxLooks = 1000;

  template <class Task, class OnDone>
  static void work(Index phase, Index num_tasks, State& state, const Task& task,
                   const OnDone& on_done) {
    Index num_run = 0;
    for (Index i = state.next++; i < num_tasks; i = state.next++, ++num_run) {
      task(phase, i);
    }
    if (num_run > 0 && (state.num_done += num_run) == num_tasks) {
      state.num_done.notify_all();
      on_done(phase);
      return;
    }
    Index num_done = state.num_done;
    for (int look = 0; num_done != num_tasks; ++look) {
      if (look < kMaxLooks) {
        pause();
      } else {
        state.num_done.wait(num_done);
      }
      num_done = state.num_done;
    }
  }

  /// Tells the processor that this thread is waiting.
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  std::vector<State> states_;
};

}  // namespace mlp::cpu
