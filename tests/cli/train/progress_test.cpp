// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/progress.hpp"

#include <doctest/doctest.h>

using mlp::cli::choose_progress_style;
using mlp::cli::format_duration;
using mlp::cli::format_progress;
using mlp::cli::GlobalOptions;
using mlp::cli::ProgressMode;
using mlp::cli::ProgressState;
using mlp::cli::ProgressStyle;

TEST_SUITE("cli/train/progress") {
  TEST_CASE("writes durations as clocks do") {
    CHECK(format_duration(0.0) == "0 s");
    CHECK(format_duration(59.4) == "59 s");
    CHECK(format_duration(185.0) == "3:05");
    CHECK(format_duration(3723.0) == "1:02:03");
    CHECK(format_duration(1e300) == "888888:53:20");
  }

  TEST_CASE("tells iteration time left objective and speed") {
    ProgressState state;
    state.iteration = 10;
    state.max_iter = 100;
    state.objective = 0.25;
    state.step_length = 1.0;
    state.evaluations = 12;
    state.num_instances = 1000;
    state.elapsed_seconds = 2.0;
    state.is_upper_bound = true;

    // 90 iterations of 0.2 s are left; 12 x 1000 instances took 2 s.
    CHECK(format_progress(state) ==
          "iteration 10/100, at most 18 s left, objective 0.25, step 1, 12 "
          "evaluations, 6e+03 instances/s");
  }

  TEST_CASE("tells no time left at the start") {
    ProgressState state;
    state.max_iter = 5;
    state.objective = 1.5;
    state.evaluations = 1;

    CHECK(format_progress(state) ==
          "iteration 0/5, objective 1.5, step 0, 1 evaluations");
  }

  TEST_CASE("shows nothing where it is told so") {
    GlobalOptions options;
    options.progress = ProgressMode::kNever;
    CHECK(choose_progress_style(options) == ProgressStyle::kSilent);

    options.progress = ProgressMode::kAlways;
    options.console.is_quiet = true;
    CHECK(choose_progress_style(options) == ProgressStyle::kSilent);
  }
}
