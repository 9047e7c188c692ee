// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "../console/console.hpp"

namespace mlp::cli {

namespace {

constexpr double kRedrawSeconds = 0.1;

template <typename... Arguments>
std::string print(const char* format, Arguments... arguments) {
  char buffer[128];
  const int length = std::snprintf(buffer, sizeof buffer, format, arguments...);
  return std::string(
      buffer,
      std::min<std::size_t>(sizeof buffer - 1,
                            static_cast<std::size_t>(std::max(0, length))));
}

/// Returns the number of columns of the terminal of standard error.
std::size_t terminal_width() {
  constexpr std::size_t kUsualWidth = 80;
  struct winsize size {};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

bool is_redrawable_terminal() {
  if (::isatty(STDERR_FILENO) != 1) return false;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb";
}

/// Returns false if a line would wait for a reader of standard error that has
/// stopped to read.
bool can_write_line() {
  struct pollfd error {
    STDERR_FILENO, POLLOUT, 0
  };
  return ::poll(&error, 1, 0) != 0;
}

/// A part of a line of progress.
struct ProgressPart {
  int importance = 0;  ///< no two are equal
  std::string text;
};

long long as_long(Index count) { return static_cast<long long>(count); }

/// Describes the time that is left; "" if it is not known.
std::string describe_time_left(const ProgressState& state) {
  if (state.new_iterations <= 0 || state.elapsed_seconds <= 0.0) return "";
  const auto num_left =
      static_cast<double>(std::max<Index>(0, state.max_iter - state.iteration));
  const double seconds = state.elapsed_seconds /
                         static_cast<double>(state.new_iterations) * num_left;
  return (state.is_upper_bound ? ", at most " : ", ") +
         format_duration(seconds) + " left";
}

/// Describes how fast instances are evaluated; "" if it is not known.
std::string describe_speed(const ProgressState& state) {
  const Index num_passes =
      state.has_epochs ? state.new_iterations : state.new_evaluations;
  if (num_passes <= 0 || state.elapsed_seconds <= 0.0) return "";
  return print(", %.3g instances/s",
               static_cast<double>(num_passes) *
                   static_cast<double>(state.num_instances) /
                   state.elapsed_seconds);
}

/// Lists the parts of a line, in their order.
std::vector<ProgressPart> list_parts(const ProgressState& state) {
  std::vector<ProgressPart> parts;
  if (state.max_trainings > 0) {
    return {
        {9, print("%lld of at most %lld trainings",
                  as_long(state.num_trainings), as_long(state.max_trainings))}};
  }
  parts.push_back({9, print("iteration %lld/%lld", as_long(state.iteration),
                            as_long(state.max_iter))});
  parts.push_back({6, describe_time_left(state)});
  parts.push_back({8, print(", objective %.6g", state.objective)});
  if (state.validation_loss) {
    parts.push_back({7, print(", validation %.6g", *state.validation_loss)});
    parts.push_back({5, print(" (best %.6g at %lld)", state.best_loss,
                              as_long(state.best_iteration))});
  }
  parts.push_back({2, print(", step %.3g", state.step_length)});
  parts.push_back({1, print(", %lld evaluations", as_long(state.evaluations))});
  parts.push_back({3, describe_speed(state)});
  return parts;
}

}  // namespace

std::string format_duration(double seconds) {
  if (seconds < 60.0) return print("%.0f s", std::max(0.0, seconds));
  // A time of more than a century is not useful.
  const auto whole = static_cast<long>(std::min(seconds, 3.2e9));
  const long hours = whole / 3600;
  const long minutes = whole / 60 % 60;
  if (hours == 0) return print("%ld:%02ld", minutes, whole % 60);
  return print("%ld:%02ld:%02ld", hours, minutes, whole % 60);
}

std::string format_progress(const ProgressState& state, std::size_t width) {
  std::vector<ProgressPart> parts = list_parts(state);
  for (;;) {
    std::string line = state.beginning;
    for (const ProgressPart& part : parts) line += part.text;
    if (line.size() <= width) return line;
    if (parts.empty()) return "";
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const auto& a, const auto& b) {
                                   return a.importance < b.importance;
                                 }));
  }
}

ProgressStyle choose_progress_style(const GlobalOptions& options) {
  const bool is_silent =
      options.console.is_quiet || options.progress == ProgressMode::kNever;
  if (is_silent) return ProgressStyle::kSilent;
  if (is_redrawable_terminal()) return ProgressStyle::kRedrawn;
  return options.progress == ProgressMode::kAlways ? ProgressStyle::kPlain
                                                   : ProgressStyle::kSilent;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style, ProgressState state)
    : style_(style),
      state_(std::move(state)),
      start_(Clock::now()),
      last_drawn_(start_) {}

void ProgressDisplay::show(const optim::Iteration& iteration) {
  if (style_ == ProgressStyle::kSilent) return;
  const Clock::time_point now = Clock::now();
  take(iteration);
  state_.elapsed_seconds = std::chrono::duration<double>(now - start_).count();
  redraw(now);
}

void ProgressDisplay::show_training() {
  if (style_ == ProgressStyle::kSilent) return;
  ++state_.num_trainings;
  redraw(Clock::now());
}

void ProgressDisplay::redraw(Clock::time_point now) {
  const std::chrono::duration<double> since_drawn = now - last_drawn_;
  is_pending_ = true;
  const bool is_first = !is_drawn_ && style_ == ProgressStyle::kPlain;
  if (!is_first && since_drawn.count() < kRedrawSeconds) return;
  last_drawn_ = now;
  if (can_write_line()) draw();
}

void ProgressDisplay::take(const optim::Iteration& iteration) {
  if (first_iteration_ < 0) {
    first_iteration_ = iteration.iteration;
    first_evaluations_ = iteration.evaluations;
    start_ = Clock::now();
  }
  // Spark counts an iteration whose line search failed; it takes no step.
  const bool is_repeated = !state_.has_epochs && iteration.iteration > 0 &&
                           iteration.step_length == 0.0;
  if (is_repeated) ++num_failed_searches_;
  state_.iteration =
      std::min(iteration.iteration - num_failed_searches_, state_.max_iter);
  state_.new_iterations = iteration.iteration - first_iteration_;
  state_.new_evaluations = iteration.evaluations - first_evaluations_;
  state_.objective = iteration.objective;
  state_.step_length = iteration.step_length;
  state_.evaluations = iteration.evaluations;
  state_.validation_loss = iteration.validation_loss;
  if (iteration.validation_loss.value_or(state_.best_loss) < state_.best_loss) {
    state_.best_loss = *iteration.validation_loss;
    state_.best_iteration = iteration.iteration;
  }
}

void ProgressDisplay::draw() {
  if (style_ == ProgressStyle::kRedrawn) {
    write_message("\r\033[K" + format_progress(state_, terminal_width() - 1));
  } else {
    write_message("mlp: " + format_progress(state_) + '\n');
  }
  is_drawn_ = true;
  is_pending_ = false;
}

void ProgressDisplay::finish() {
  if (style_ == ProgressStyle::kRedrawn && is_drawn_) {
    write_message("\r\033[K");
  } else if (style_ == ProgressStyle::kPlain && is_pending_) {
    if (can_write_line()) draw();
  }
}

ProgressState make_progress(const Params& params, Index num_instances,
                            bool has_validation, const std::string& beginning) {
  ProgressState state;
  state.beginning = beginning;
  state.max_iter = params.max_iter;
  state.num_instances = num_instances;
  state.has_epochs = has_mini_batches(params.solver);
  state.is_upper_bound =
      params.solver == Solver::kLbfgs || has_validation ||
      (params.solver == Solver::kGradientDescent && params.tol > 0.0);
  return state;
}

}  // namespace mlp::cli
