// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_checkpoint.hpp"

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/sha256.hpp"
#include "../../mlp/checkpoint/checkpoint_file.hpp"
#include "../../mlp/training/training_fingerprint.hpp"
#include "../console/exit_code.hpp"

namespace mlp::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// When the next checkpoint is due.
class CheckpointClock {
 public:
  explicit CheckpointClock(const CheckpointFlags& options)
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
  CheckpointFlags options_;
  Clock::time_point last_;
};

/// Writes checkpoints. A failure is printed at once, but not again as long as it
/// stays the same.
class CheckpointWriter {
 public:
  CheckpointWriter(std::string file, std::string fingerprint,
                   CheckpointOutcome& outcome)
      : file_(std::move(file)),
        fingerprint_(std::move(fingerprint)),
        outcome_(outcome) {}

  void write(const std::string& state) {
    // If a rank is lost, the others write at the same time. Processes need no
    // lock: each renames whole files only, so that one complete checkpoint
    // exists at every moment. Threads share the outcome.
    const std::lock_guard lock(mutex_);
    try {
      write_checkpoint(file_, {fingerprint_, state});
      ++outcome_.num_written;
      last_warning_.clear();
    } catch (const std::exception&) {
      ++outcome_.num_failed;
      outcome_.failure = describe_failure(std::current_exception()).sentence;
      if (outcome_.failure == last_warning_) return;
      last_warning_ = outcome_.failure;
      write_warning(last_warning_ +
                    "; the training goes on without this checkpoint");
    }
  }

 private:
  std::mutex mutex_;
  std::string file_;
  std::string fingerprint_;
  std::string last_warning_;
  CheckpointOutcome& outcome_;
};

/// Returns a digest of the instances and of what their columns were.
std::string digest_own_data(const TrainingData& data) {
  const std::string digest = dataset_digest(data.train);
  if (data.input_columns.empty()) return digest;
  return sha256_hex(digest + datasets::columns_text(data.input_columns));
}

/// Returns a digest of the data of all ranks; "" if no rank needs it.
std::string digest_data(const TrainingJob& job, const TrainingData& data) {
  const bool is_needed = !job.options.checkpoint.file.empty();
  distributed::Allreduce* const group = job.group_of_parts();
  if (!group) return is_needed ? digest_own_data(data) : "";
  bool is_needed_by_any = false;
  for (const std::string& need : group->all_gather(is_needed ? "1" : "0")) {
    is_needed_by_any = is_needed_by_any || need == "1";
  }
  if (!is_needed_by_any) return "";
  const std::string digest = digest_own_data(data);
  std::string digests;
  for (const std::string& text : group->all_gather(digest)) digests += text;
  return sha256_hex(digests);
}

/// Refuses to replace a file unless it is a checkpoint, of any version.
void refuse_foreign_file(const std::string& file) {
  constexpr std::string_view kBegin = "mlp-checkpoint";
  char begin[kBegin.size()] = {};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin, sizeof begin);
  const auto size = static_cast<std::size_t>(stream.gcount());
  if (size == 0 || std::string_view(begin, size) == kBegin) return;
  throw ParamError("--force: " + file +
                   " is not a checkpoint, so it is not replaced; name another "
                   "file, or delete it");
}

}  // namespace

void refuse_existing_checkpoint(const CheckpointFlags& options) {
  if (options.file.empty() || options.is_resuming) return;
  for (const std::string& file :
       {options.file, previous_checkpoint(options.file)}) {
    if (!std::filesystem::exists(file)) continue;
    if (options.is_forced) {
      refuse_foreign_file(file);
      continue;
    }
    throw ParamError("--checkpoint: " + file +
                     " exists; add --resume to continue its training, or "
                     "--force to replace it");
  }
}

CheckpointOptions make_checkpoint_options(const TrainingJob& job,
                                          const TrainingData& data,
                                          const FitOptions& fit_options,
                                          CheckpointOutcome& outcome) {
  const CheckpointFlags& options = job.options.checkpoint;
  const Console& console = job.global.console;
  CheckpointOptions checkpoint;
  const std::string digest = digest_data(job, data);
  if (options.file.empty()) return checkpoint;
  const std::string fingerprint =
      training_fingerprint(job.params, digest, fit_options);
  if (options.is_resuming) {
    std::optional<Checkpoint> saved = read_checkpoint(options.file);
    if (saved) {
      const std::string file = saved->file;
      const bool is_newest = file == options.file;
      checkpoint.state =
          take_state(std::move(*saved), fingerprint, options.file);
      checkpoint.state_name = file;
      console.note("resumes from " + file);
      if (!is_newest &&
          std::filesystem::exists(damaged_checkpoint(options.file))) {
        write_warning(options.file + " is damaged and is kept as " +
                      damaged_checkpoint(options.file));
      }
    } else {
      console.note(options.file +
                   " does not exist yet; training starts from the beginning");
    }
  }
  const auto clock = std::make_shared<CheckpointClock>(options);
  // A training that was stopped by a signal can be resumed from this state.
  checkpoint.is_due = [clock, is_stopping = fit_options.is_stopping](
                          Index iterations, bool is_mid_epoch) {
    return *is_stopping || clock->is_due(iterations, is_mid_epoch);
  };
  const auto writer =
      std::make_shared<CheckpointWriter>(options.file, fingerprint, outcome);
  checkpoint.write = [clock, writer](const std::string& state) {
    writer->write(state);
    clock->restart();
  };
  return checkpoint;
}

void require_checkpoints(const CheckpointOutcome& outcome,
                         const CheckpointFlags& options, const Console& console,
                         bool is_saved) {
  if (!options.file.empty() && outcome.num_written + outcome.num_failed == 0) {
    console.note(
        "--checkpoint: the training ended before a checkpoint was due; none "
        "was written");
  }
  if (outcome.num_failed == 0) return;
  throw ResourceError(outcome.failure + "; " +
                      std::to_string(outcome.num_failed) + " of " +
                      std::to_string(outcome.num_failed + outcome.num_written) +
                      " checkpoints were not written" +
                      (is_saved ? ", but the model is saved" : ""));
}

}  // namespace mlp::cli
