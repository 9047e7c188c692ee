// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "../../core/types.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../flags/global_options.hpp"

namespace mlp::cli {

/// The contents of a line of progress.
struct ProgressState {
  Index iteration = 0;
  Index max_iter = 0;
  double objective = 0.0;
  double step_length = 0.0;
  Index evaluations = 0;
  Index num_instances = 0;
  double elapsed_seconds = 0.0;
  bool is_upper_bound = false;  ///< the run may stop before max_iter
};

/// Writes a line of progress, without its end.
[[nodiscard]] std::string format_progress(const ProgressState& state);

/// Writes seconds as 7 s, 3:05 or 1:02:03.
[[nodiscard]] std::string format_duration(double seconds);

/// How lines of progress are shown.
enum class ProgressStyle {
  kSilent,
  kRedrawn,  ///< one line of a terminal, at most ten times a second
  kSparse,   ///< a plain line every ten seconds
  kDense     ///< a plain line an iteration, at most ten a second
};

/// Chooses how progress is shown, by the flags, the terminal and TERM.
[[nodiscard]] ProgressStyle choose_progress_style(const GlobalOptions& options);

/// Shows the progress of a training on standard error.
class ProgressDisplay {
 public:
  /// \param state  its constant parts
  ProgressDisplay(ProgressStyle style, const ProgressState& state);

  /// Records an iteration and shows it if it is time to.
  void show(const optim::Iteration& iteration);

  /// Clears the redrawn line, or shows the last iteration if it was not shown.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void draw();

  ProgressStyle style_;
  ProgressState state_;
  Clock::time_point start_;
  Clock::time_point last_drawn_;
  bool is_drawn_ = false;    ///< anything yet
  bool is_pending_ = false;  ///< the last iteration is not shown
};

}  // namespace mlp::cli
