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

#include "../console/console.hpp"

namespace mlp::cli {

namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kSparseSeconds = 10.0;

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

std::string format_progress(const ProgressState& state) {
  const auto as_long = [](Index count) {
    return static_cast<long long>(count);
  };
  std::string line = print("iteration %lld/%lld", as_long(state.iteration),
                           as_long(state.max_iter));
  // The remaining time comes early in the line, because narrow terminals cut
  // it.
  if (state.iteration > 0 && state.elapsed_seconds > 0.0) {
    const auto num_left = static_cast<double>(
        std::max<Index>(0, state.max_iter - state.iteration));
    const double seconds_left =
        state.elapsed_seconds / static_cast<double>(state.iteration) * num_left;
    line += (state.is_upper_bound ? ", at most " : ", ") +
            format_duration(seconds_left) + " left";
  }
  line += print(", objective %.6g, step %.3g, %lld evaluations",
                state.objective, state.step_length, as_long(state.evaluations));
  if (state.elapsed_seconds <= 0.0) return line;
  const double num_seen = static_cast<double>(state.evaluations) *
                          static_cast<double>(state.num_instances);
  return line + print(", %.3g instances/s", num_seen / state.elapsed_seconds);
}

ProgressStyle choose_progress_style(const GlobalOptions& options) {
  const bool is_silent =
      options.console.is_quiet || options.progress == ProgressMode::kNever;
  if (is_silent) return ProgressStyle::kSilent;
  if (is_redrawable_terminal()) return ProgressStyle::kRedrawn;
  return options.progress == ProgressMode::kAlways ? ProgressStyle::kDense
                                                   : ProgressStyle::kSparse;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style,
                                 const ProgressState& state)
    : style_(style), state_(state), start_(Clock::now()), last_drawn_(start_) {}

void ProgressDisplay::show(const optim::Iteration& iteration) {
  if (style_ == ProgressStyle::kSilent) return;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since_drawn = now - last_drawn_;
  state_.iteration = iteration.iteration;
  state_.objective = iteration.objective;
  state_.step_length = iteration.step_length;
  state_.evaluations = iteration.evaluations;
  state_.elapsed_seconds = std::chrono::duration<double>(now - start_).count();
  is_pending_ = true;
  const bool is_sparse = style_ == ProgressStyle::kSparse;
  const bool is_first = !is_drawn_ && style_ == ProgressStyle::kDense;
  const double interval = is_sparse ? kSparseSeconds : kRedrawSeconds;
  if (!is_first && since_drawn.count() < interval) return;
  last_drawn_ = now;
  if (can_write_line()) draw();
}

void ProgressDisplay::draw() {
  std::string line = format_progress(state_);
  if (style_ == ProgressStyle::kRedrawn) {
    line.resize(std::min(line.size(), terminal_width() - 1));
    write_message("\r\033[K" + line);
  } else {
    write_message("mlp: " + line + '\n');
  }
  is_drawn_ = true;
  is_pending_ = false;
}

void ProgressDisplay::finish() {
  if (style_ == ProgressStyle::kRedrawn && is_drawn_) {
    write_message("\r\033[K");
  } else if (style_ == ProgressStyle::kDense && is_pending_) {
    if (can_write_line()) draw();
  }
}

}  // namespace mlp::cli
