// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace mlp::cli {

/// Listens to SIGINT and SIGTERM while it lives: the first one asks the training
/// to stop, the second one ends the program at once.
///
/// One at a time. A signal that the shell told the program to ignore stays
/// ignored.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Turns true with the first signal.
  [[nodiscard]] const std::atomic<bool>* flag() const;

  /// The number of the first signal; 0 where there was none.
  [[nodiscard]] int received() const;

 private:
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_termination_ {};
};

}  // namespace mlp::cli
