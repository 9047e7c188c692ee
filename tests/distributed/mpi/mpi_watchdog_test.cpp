// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/mpi/mpi_watchdog.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <limits>
#include <string>
#include <thread>

using mlp::distributed::MpiWatchdog;

namespace {

// Calls within it end at once, and no machine is so slow that they do not.
constexpr double kLongSeconds = 1000.0;

constexpr double kShortSeconds = 0.05;

}  // namespace

TEST_SUITE("distributed/mpi/mpi_watchdog") {
  TEST_CASE("names the call that takes longer than the deadline") {
    std::promise<std::string> late;
    MpiWatchdog watchdog(kShortSeconds,
                         [&late](const char* name) { late.set_value(name); });

    const MpiWatchdog::Call call(watchdog, "MPI_Allreduce");

    CHECK(late.get_future().get() == "MPI_Allreduce");
  }

  TEST_CASE(
      "is not early, however late a call begins after the thread looked") {
    using Clock = std::chrono::steady_clock;
    std::promise<Clock::time_point> late;
    MpiWatchdog watchdog(
        kShortSeconds, [&late](const char*) { late.set_value(Clock::now()); });
    const std::chrono::duration<double> deadline(kShortSeconds);
    std::this_thread::sleep_for(0.5 * deadline);

    const auto begin = Clock::now();
    const MpiWatchdog::Call call(watchdog, "MPI_Allreduce");

    CHECK(late.get_future().get() - begin >= deadline);
  }

  TEST_CASE("says nothing of calls that end, and ends without waiting") {
    int num_late = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
      MpiWatchdog watchdog(kLongSeconds, [&](const char*) { ++num_late; });
      for (int i = 0; i < 1000; ++i) MpiWatchdog::Call call(watchdog, "call");
    }
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;

    CHECK(num_late == 0);
    CHECK(time.count() < kLongSeconds);
  }

  TEST_CASE("watches nothing between calls") {
    int num_late = 0;
    {
      MpiWatchdog watchdog(kShortSeconds, [&](const char*) { ++num_late; });
      { MpiWatchdog::Call call(watchdog, "call"); }
      std::this_thread::sleep_for(
          std::chrono::duration<double>(3 * kShortSeconds));
    }

    CHECK(num_late == 0);
  }

  TEST_CASE("watches nothing where the deadline is infinite") {
    int num_late = 0;
    {
      MpiWatchdog watchdog(std::numeric_limits<double>::infinity(),
                           [&](const char*) { ++num_late; });
      const MpiWatchdog::Call call(watchdog, "call");
    }

    CHECK(num_late == 0);
  }
}
