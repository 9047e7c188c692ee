// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <string>

namespace mlp::cli {

/// Ends the program with the signal's exit code at the first SIGINT or SIGTERM
/// during its lifetime: there is no model yet that could be saved.
///
/// A signal that the program ignored before stays ignored.
class ImmediateStop {
 public:
  ImmediateStop();
  ~ImmediateStop();
  ImmediateStop(const ImmediateStop&) = delete;
  ImmediateStop& operator=(const ImmediateStop&) = delete;

 private:
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_termination_ {};
};

/// Handles SIGINT and SIGTERM during its lifetime: the first signal asks the
/// training to stop, the second one ends the program immediately.
///
/// Only one object may exist at a time. A signal that the program ignored
/// before stays ignored.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Becomes true with the first signal.
  [[nodiscard]] const std::atomic<bool>* flag() const;

  /// Returns the number of the first signal, or 0 if there was none.
  [[nodiscard]] int received() const;

 private:
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_termination_ {};
};

/// The name of a signal.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace mlp::cli
