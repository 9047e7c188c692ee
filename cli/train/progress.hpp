// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "../../core/types.hpp"
#include "../../mlp/params/params.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../flags/global_options.hpp"

namespace mlp::cli {

/// The contents of a line of progress.
struct ProgressState {
  std::string beginning;  ///< such as "fold 2 of 5, "
  Index iteration = 0;    ///< without iterations whose line search failed
  Index max_iter = 0;
  double objective = 0.0;
  double step_length = 0.0;
  Index evaluations = 0;
  std::optional<double> validation_loss;
  double best_loss = std::numeric_limits<double>::infinity();
  Index best_iteration = 0;
  Index num_instances = 0;

  /// Of a training that consists of several, which are shown instead of iterations.
  Index num_trainings = 0;  ///< that have ended
  Index max_trainings = 0;  ///< 0: a single training

  /// An iteration is an epoch, which evaluates each instance once; otherwise each
  /// evaluation evaluates all.
  bool has_epochs = false;

  /// Since the first iteration that was shown.
  double elapsed_seconds = 0.0;
  Index new_iterations = 0;
  Index new_evaluations = 0;
  bool is_upper_bound = false;  ///< the run may stop before max_iter
};

/// Makes the contents that are constant during a training.
///
/// \param beginning  of each line, such as "fold 2 of 5, "
[[nodiscard]] ProgressState make_progress(const Params& params,
                                          Index num_instances,
                                          bool has_validation,
                                          const std::string& beginning);

/// Writes a line of progress, without its end. If the line would be too long, the
/// least important parts are left out.
///
/// \param width  the greatest number of characters
[[nodiscard]] std::string format_progress(
    const ProgressState& state,
    std::size_t width = std::numeric_limits<std::size_t>::max());

/// Writes seconds as 7 s, 3:05 or 1:02:03.
[[nodiscard]] std::string format_duration(double seconds);

/// How lines of progress are shown.
enum class ProgressStyle {
  kSilent,
  kRedrawn,  ///< one line of a terminal, at most ten times a second
  kPlain     ///< a line an iteration, at most ten a second
};

/// Chooses how progress is shown, by the flags, the terminal and TERM.
[[nodiscard]] ProgressStyle choose_progress_style(const GlobalOptions& options);

/// Shows the progress of a training on standard error.
class ProgressDisplay {
 public:
  /// \param state  its constant parts
  ProgressDisplay(ProgressStyle style, ProgressState state);

  /// Records an iteration and shows it if it is time to.
  void show(const optim::Iteration& iteration);

  /// Records that one of several trainings has ended, and shows it if it is time to.
  void show_training();

  /// Clears the redrawn line, or shows the last iteration if it was not shown.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  /// Copies what changed since the last iteration.
  void take(const optim::Iteration& iteration);

  /// Draws what was recorded if the last line is old enough.
  void redraw(Clock::time_point now);

  void draw();

  ProgressStyle style_;
  ProgressState state_;
  Clock::time_point start_;
  Clock::time_point last_drawn_;
  Index first_iteration_ = -1;  ///< that was shown
  Index first_evaluations_ = 0;
  Index num_failed_searches_ = 0;
  bool is_drawn_ = false;    ///< anything yet
  bool is_pending_ = false;  ///< the last iteration is not shown
};

}  // namespace mlp::cli
