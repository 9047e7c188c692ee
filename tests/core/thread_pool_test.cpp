// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/thread_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../allocations.hpp"
#include "../thrown_message.hpp"

namespace mlp {

namespace {

constexpr int kNumThreads = 3;

}  // namespace

TEST_SUITE("core/thread_pool") {
  TEST_CASE("counts the caller as a thread and takes less than 1 for 1") {
    CHECK(ThreadPool(3).num_threads() == 3);
    CHECK(ThreadPool(1).num_threads() == 1);
    CHECK(ThreadPool(0).num_threads() == 1);
    CHECK(ThreadPool(-5).num_threads() == 1);
  }

  TEST_CASE("runs each task once whatever the number of threads") {
    for (int num_threads = 1; num_threads <= 4; ++num_threads) {
      ThreadPool pool(num_threads);
      for (const Index num_tasks : {Index{0}, Index{1}, Index{2}, Index{100}}) {
        std::vector<std::atomic<int>> runs(100);

        pool.parallel_for(num_tasks, [&](Index i, int) {
          ++runs[static_cast<std::size_t>(i)];
        });

        for (std::size_t i = 0; i < runs.size(); ++i) {
          CHECK(runs[i] == (static_cast<Index>(i) < num_tasks ? 1 : 0));
        }
      }
    }
  }

  TEST_CASE("never runs two tasks at once under one thread number") {
    ThreadPool pool(kNumThreads);
    std::vector<std::atomic<int>> active(kNumThreads);
    std::atomic<bool> is_exclusive{true};

    pool.parallel_for(200, [&](Index, int thread) {
      auto& of_thread = active[static_cast<std::size_t>(thread)];
      if (++of_thread != 1) is_exclusive = false;
      std::this_thread::yield();
      --of_thread;
    });

    CHECK(is_exclusive);
  }

  TEST_CASE("works on as many threads as it counts") {
    ThreadPool pool(kNumThreads);
    std::atomic<int> arrived{0};

    // Each task waits for all: only as many threads as tasks get through.
    pool.parallel_for(kNumThreads, [&](Index, int) {
      ++arrived;
      while (arrived < kNumThreads) std::this_thread::yield();
    });

    CHECK(arrived == kNumThreads);
  }

  TEST_CASE("runs in the caller alone where it has one thread") {
    ThreadPool pool(1);
    std::set<std::thread::id> threads;

    pool.parallel_for(
        10, [&](Index, int) { threads.insert(std::this_thread::get_id()); });

    CHECK(threads == std::set<std::thread::id>{std::this_thread::get_id()});
  }

  TEST_CASE("is done with all tasks when it returns call after call") {
    ThreadPool pool(kNumThreads);
    long sum = 0;
    for (int call = 0; call < 500; ++call) {
      std::vector<long> parts(7, 0);
      pool.parallel_for(7, [&](Index i, int) {
        parts[static_cast<std::size_t>(i)] = static_cast<long>(i) + 1;
      });
      for (const long part : parts) sum += part;
    }

    CHECK(sum == 500 * 28);
  }

  TEST_CASE("hands on what a task threw and can be used again") {
    for (int num_threads = 1; num_threads <= kNumThreads; ++num_threads) {
      ThreadPool pool(num_threads);

      CHECK_THROWS_WITH_AS(
          pool.parallel_for(50,
                            [](Index i, int) {
                              if (i == 3) throw std::runtime_error("task 3");
                            }),
          "task 3", std::runtime_error);

      std::atomic<int> runs{0};
      pool.parallel_for(50, [&](Index, int) { ++runs; });
      CHECK(runs == 50);
    }
  }

  TEST_CASE("hands on the first of several failures") {
    ThreadPool pool(2);
    std::atomic<int> arrived{0};

    CHECK_THROWS_WITH_AS(
        pool.parallel_for(2,
                          [&](Index i, int) {
                            ++arrived;
                            while (arrived < 2) std::this_thread::yield();
                            if (i == 0) throw std::runtime_error("first");
                            std::this_thread::sleep_for(
                                std::chrono::milliseconds(100));
                            throw std::runtime_error("second");
                          }),
        "first", std::runtime_error);
  }

  TEST_CASE("skips tasks not begun after one threw") {
    ThreadPool pool(kNumThreads);
    std::atomic<int> runs{0};

    CHECK_THROWS_AS(pool.parallel_for(1000000,
                                      [&](Index, int) {
                                        ++runs;
                                        throw std::runtime_error("each");
                                      }),
                    std::runtime_error);

    CHECK(runs >= 1);
    CHECK(runs <= kNumThreads);
  }

#ifndef MLP_COUNTS_NO_ALLOCATIONS
  TEST_CASE(
      "says that memory is missing whichever allocation of a start fails") {
    bool has_failed = true;
    for (int k = 0; has_failed; ++k) {
      const testing::AllocationFailure failure(k);
      const std::string sentence = test::thrown_message<ResourceError>(
          [&] { const ThreadPool pool(kNumThreads); });
      has_failed = testing::AllocationFailure::has_happened();

      CHECK(sentence.starts_with("could not start 3 threads; got ") ==
            has_failed);
    }
  }

  TEST_CASE("hands on that a task got no memory") {
    ThreadPool pool(kNumThreads);
    const auto task = [](Index, int) {
      const testing::AllocationFailure failure(0);
      static_cast<void>(std::vector<int>(10).data());
    };

    CHECK_THROWS_AS(pool.parallel_for(50, task), std::bad_alloc);
  }
#endif
}

}  // namespace mlp
