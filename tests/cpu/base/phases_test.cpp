// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/phases.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <vector>

namespace mlp::cpu {

namespace {

constexpr auto kIgnore = [](Index /*phase*/) {};

}  // namespace

TEST_SUITE("cpu/base/phases") {
  TEST_CASE("tells that a phase is done once and after all its tasks") {
    const std::array<Index, 4> num_tasks = {3, 0, 1, 50};
    for (int num_threads = 1; num_threads <= 4; ++num_threads) {
      ThreadPool pool(num_threads);
      Phases phases;
      std::array<std::atomic<Index>, 4> runs{};
      std::array<std::atomic<Index>, 4> runs_when_done{};
      std::array<std::atomic<int>, 4> calls{};

      phases.run(
          num_tasks, pool,
          [&](Index phase, Index) { ++runs[static_cast<std::size_t>(phase)]; },
          [&](Index phase) {
            const auto at = static_cast<std::size_t>(phase);
            runs_when_done[at] = runs[at].load();
            ++calls[at];
          });

      for (std::size_t phase = 0; phase < num_tasks.size(); ++phase) {
        CHECK(runs_when_done[phase] == num_tasks[phase]);
        CHECK(calls[phase] == (num_tasks[phase] > 0 ? 1 : 0));
      }
    }
  }

  TEST_CASE("runs each task of each phase once whatever the threads") {
    const std::array<Index, 4> num_tasks = {3, 0, 1, 50};
    for (int num_threads = 1; num_threads <= 4; ++num_threads) {
      ThreadPool pool(num_threads);
      Phases phases;
      std::array<std::array<std::atomic<int>, 50>, 4> runs{};

      phases.run(
          num_tasks, pool,
          [&](Index phase, Index i) {
            ++runs[static_cast<std::size_t>(phase)]
                  [static_cast<std::size_t>(i)];
          },
          kIgnore);

      for (std::size_t phase = 0; phase < runs.size(); ++phase) {
        for (std::size_t i = 0; i < runs[phase].size(); ++i) {
          CHECK(runs[phase][i] ==
                (static_cast<Index>(i) < num_tasks[phase] ? 1 : 0));
        }
      }
    }
  }

  TEST_CASE("starts a phase after the whole of the one before") {
    constexpr Index kTasks = 7;
    const std::vector<Index> num_tasks(40, kTasks);
    ThreadPool pool(3);
    Phases phases;
    std::atomic<Index> num_run{0};
    std::atomic<bool> is_in_order{true};

    for (int call = 0; call < 20; ++call) {
      num_run = 0;
      phases.run(
          num_tasks, pool,
          [&](Index phase, Index) {
            if (num_run < phase * kTasks) is_in_order = false;
            if (num_run >= (phase + 1) * kTasks) is_in_order = false;
            ++num_run;
          },
          kIgnore);
      CHECK(num_run == 40 * kTasks);
    }

    CHECK(is_in_order);
  }

  TEST_CASE("runs in the caller and in order where no pool is given") {
    const std::array<Index, 2> num_tasks = {2, 1};
    std::vector<Index> order;

    Phases::run(
        num_tasks,
        [&](Index phase, Index i) { order.push_back(10 * phase + i); },
        kIgnore);

    CHECK(order == std::vector<Index>{0, 1, 10});
  }
}

}  // namespace mlp::cpu
