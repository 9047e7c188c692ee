// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace mlp::bench {

/// Reads one of the system's clocks, in seconds.
[[nodiscard]] inline double read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

/// What a piece of work took.
struct Duration {
  double wall_seconds = 0.0;
  double cpu_seconds = 0.0;  ///< summed over the threads that were asked about
};

/// Measures from its construction on: the wall time, and the time that
/// processors spent on this process (CLOCK_PROCESS_CPUTIME_ID) or on the calling
/// thread alone (CLOCK_THREAD_CPUTIME_ID).
class Stopwatch {
 public:
  explicit Stopwatch(clockid_t cpu_clock = CLOCK_PROCESS_CPUTIME_ID)
      : cpu_clock_(cpu_clock),
        wall_start_(read_clock(CLOCK_MONOTONIC)),
        cpu_start_(read_clock(cpu_clock)) {}

  [[nodiscard]] Duration elapsed() const {
    return {read_clock(CLOCK_MONOTONIC) - wall_start_,
            read_clock(cpu_clock_) - cpu_start_};
  }

 private:
  clockid_t cpu_clock_;
  double wall_start_;
  double cpu_start_;
};

}  // namespace mlp::bench
