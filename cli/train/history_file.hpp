// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/summary.hpp"

namespace mlp::cli {

/// Records the iterations of a training, for the file of --history.
class HistoryRecorder {
 public:
  /// Starts to measure the time.
  HistoryRecorder() : start_(Clock::now()) {}

  void record(const optim::Iteration& iteration);

  /// Returns the history as CSV: a header, and a row for each entry of the
  /// summary's history. The validation loss is empty without a validation set;
  /// step length, evaluations and seconds are empty for iterations that ran
  /// before this program resumed the training.
  [[nodiscard]] std::string csv(const optim::Summary& summary) const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Row {
    Index iteration = 0;
    double step_length = 0.0;
    Index evaluations = 0;
    double seconds = 0.0;
  };

  Clock::time_point start_;
  std::vector<Row> rows_;
};

/// Writes a history to a file, a device or a pipe; "-" is standard output, and
/// an empty name writes nothing.
///
/// \throws ResourceError if it cannot be written
void write_history(const std::string& file, const HistoryRecorder& recorder,
                   const optim::Summary& summary);

}  // namespace mlp::cli
