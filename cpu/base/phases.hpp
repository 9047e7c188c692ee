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

/// Work in phases, each of some tasks that may run at once, and each after the
/// whole of the one before.
///
/// The threads of a pool are woken once for all phases. Whoever is there takes
/// tasks; a thread that comes late is not waited for.
class Phases {
 public:
  /// Runs task(phase, i) for all i below num_tasks[phase], phase after phase.
  ///
  /// \param task     must not throw
  /// \param on_done  on_done(phase) is called after each phase that has tasks, by
  ///                 the thread that ran the last; must not throw
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
    // By reference, because a copy of it would take an allocation.
    pool.parallel_for(pool.num_threads(), std::cref(work_all));
  }

  /// Runs all of it in the caller.
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
  /// One phase's, on a cache line of its own.
  struct alignas(64) State {
    std::atomic<Index> next{0};
    std::atomic<Index> num_done{0};
  };

  /// How often a thread looks again before it sleeps: some microseconds, what
  /// being woken would take.
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

  /// Lets the processor do other things for a moment.
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  std::vector<State> states_;
};

}  // namespace mlp::cpu
