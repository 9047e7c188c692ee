// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_file.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../mlp/checkpoint.hpp"
#include "../mlp/training_fingerprint.hpp"

namespace mlp::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// When the next checkpoint is due.
class CheckpointClock {
 public:
  explicit CheckpointClock(const CheckpointOptions& options)
      : options_(options), last_(Clock::now()) {}

  [[nodiscard]] bool is_due(Index iterations, bool is_mid_epoch) const {
    if (options_.every_iterations > 0) {
      return !is_mid_epoch && iterations > 0 &&
             iterations % options_.every_iterations == 0;
    }
    const std::chrono::duration<double> elapsed = Clock::now() - last_;
    return elapsed.count() >= options_.every_seconds;
  }

  void restart() { last_ = Clock::now(); }

 private:
  CheckpointOptions options_;
  Clock::time_point last_;
};

}  // namespace

Checkpointing make_checkpointing(const CheckpointOptions& options,
                                 const Params& params, const TrainingData& data,
                                 const FitOptions& fit_options,
                                 const Console& console) {
  Checkpointing checkpointing;
  if (options.file.empty()) return checkpointing;
  const std::string fingerprint =
      training_fingerprint(params, data.train, fit_options);
  if (options.is_resuming) {
    std::optional<Checkpoint> saved = read_checkpoint(options.file);
    if (saved) {
      checkpointing.state =
          take_state(std::move(*saved), fingerprint, options.file);
      console.note("goes on from " + options.file);
    } else {
      console.note("there is no " + options.file +
                   " yet; training begins anew");
    }
  }
  const auto clock = std::make_shared<CheckpointClock>(options);
  // A training that is stopped by a signal can go on from there.
  checkpointing.is_due = [clock, is_stopping = fit_options.is_stopping](
                             Index iterations, bool is_mid_epoch) {
    return *is_stopping || clock->is_due(iterations, is_mid_epoch);
  };
  checkpointing.write = [clock, fingerprint,
                         file = options.file](const std::string& state) {
    write_checkpoint(file, {fingerprint, state});
    clock->restart();
  };
  return checkpointing;
}

}  // namespace mlp::cli
