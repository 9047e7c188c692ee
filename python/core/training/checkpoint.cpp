// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../mlp/checkpoint/checkpoint_file.hpp"
#include "../../../mlp/training/training_fingerprint.hpp"

namespace mlp::python {

namespace {

using Clock = std::chrono::steady_clock;

std::string read_state(const std::string& file,
                       const std::string& fingerprint) {
  std::optional<Checkpoint> checkpoint = read_checkpoint(file);
  if (checkpoint) return take_state(*std::move(checkpoint), fingerprint, file);
  throw ModelError(file, "does not exist; expected a checkpoint");
}

}  // namespace

CheckpointOptions make_checkpoint_options(const CheckpointSettings& settings,
                                          const Params& params,
                                          const FitOptions& options,
                                          std::string& failure) {
  CheckpointOptions made;
  const std::string fingerprint =
      training_fingerprint(params, settings.data, options);
  if (!settings.resume_file.empty()) {
    made.state = read_state(settings.resume_file, fingerprint);
    made.state_name = settings.resume_file;
  }
  if (settings.file.empty()) return made;
  const auto last = std::make_shared<Clock::time_point>(Clock::now());
  made.is_due = [last, seconds = settings.seconds](Index /*iterations*/,
                                                   bool /*is_mid_epoch*/) {
    const std::chrono::duration<double> elapsed = Clock::now() - *last;
    return elapsed.count() >= seconds;
  };
  made.write = [last, fingerprint, &failure,
                file = settings.file](const std::string& state) {
    try {
      write_checkpoint(file, {fingerprint, state});
    } catch (const std::exception& error) {
      failure = error.what();
    }
    *last = Clock::now();
  };
  return made;
}

}  // namespace mlp::python
