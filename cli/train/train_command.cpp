// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/number_text.hpp"
#include "../../mlp/classifier.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/output_failures.hpp"
#include "../console/training_notes.hpp"
#include "../console/usage_error.hpp"
#include "../device/device_choice.hpp"
#include "../fit/folds.hpp"
#include "../fit/ranks/rank_files.hpp"
#include "../fit/ranks/rank_fit.hpp"
#include "../fit/ranks/rank_group.hpp"
#include "../fit/ranks/rank_processes.hpp"
#include "../fit/stop_signal.hpp"
#include "../fit/train_options.hpp"
#include "../fit/trained_model.hpp"
#include "../fit/training_checkpoint.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_files.hpp"
#include "history_file.hpp"
#include "preset.hpp"
#include "progress.hpp"
#include "train_report.hpp"

namespace mlp::cli {

namespace {

struct Training {
  RankFit ranks;
  CheckpointOutcome checkpoint;
  HistoryRecorder history;
  double seconds = 0.0;
  std::optional<FoldScores> folds;

  [[nodiscard]] const FitResult& fit() const { return ranks.result; }
};

/// Refuses what the backend lacks, before the data are read.
void check_backend(const ChosenBackend& backend, const TrainOptions& train) {
  if (has_mini_batches(train.params.solver)) {
    static_cast<void>(backend.implementation->make_batch_evaluator(
        Topology({1, 1}), {}, std::type_identity<double>{}));
    return;
  }
  try {
    static_cast<void>(backend.implementation->make_evaluator(Topology({1, 1}),
                                                             train.precision));
  } catch (const ParamError& error) {
    throw error.with_prefix("--precision: ");
  }
}

/// Watches the fit: shows progress, and stops it at a signal.
///
/// \param recorder  null if nobody asked for the history
optim::IterationCallback make_callback(ProgressDisplay& display,
                                       const StopSignal& signal,
                                       HistoryRecorder* recorder) {
  return [&display, &signal, recorder](const optim::Iteration& iteration) {
    display.show(iteration);
    if (recorder) recorder->record(iteration);
    return !*signal.flag();
  };
}

/// \param progress  begins the lines of progress
Training fit(const Params& params, const TrainOptions& train,
             TrainingData& data, const GlobalOptions& options,
             const StopSignal& signal, distributed::Allreduce* group,
             const std::string& progress = "") {
  ProgressDisplay display(choose_progress_style(options),
                          make_progress(params, data.num_instances,
                                        data.validation.has_value(), progress));
  FitOptions fit_options;
  fit_options.backend = options.backend.implementation;
  fit_options.precision = train.precision;
  fit_options.num_threads = options.num_threads;
  fit_options.is_stopping = signal.flag();
  if (data.validation) fit_options.validation = &*data.validation;
  if (train.warm_start) fit_options.warm_start = &*train.warm_start;
  fit_options.label_scale = data.label_scale;
  fit_options.has_final_scale =
      train.has_scale || data.scaler || !data.train.columns.empty();
  fit_options.distribution.is_reproducible = train.ranks.is_reproducible;
  CheckpointOutcome outcome;
  {
    const ImmediateStop before_training;
    fit_options.checkpoint = make_checkpoint_options(
        train, params, data, fit_options, group, options.console, outcome);
  }
  // From here on a signal stops all ranks together.
  if (group) static_cast<void>(group->all_gather("begin"));
  options.console.detail(progress + "training begins");
  HistoryRecorder recorder;
  fit_options.on_iteration = make_callback(
      display, signal, train.history_file.empty() ? nullptr : &recorder);
  const auto start = std::chrono::steady_clock::now();
  RankFit result =
      fit_on_ranks(params, train, data, fit_options, group, options.console);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  display.finish();
  return {std::move(result),
          std::move(outcome),
          std::move(recorder),
          elapsed.count(),
          {}};
}

/// Returns true if a signal came before the first step: the weights are those
/// that the training would have begun with.
bool is_unstarted(const FitResult& fit, const Params& params,
                  const StopSignal& signal) {
  if (signal.received() == 0) return false;
  return has_mini_batches(params.solver) ? fit.summary.evaluations == 0
                                         : fit.summary.total_iterations() == 0;
}

/// Prints the report, for a script or for a person.
///
/// \param has_other_output  true if standard output is for the model or the
///                          history
void print_report(const TrainReport& report, const GlobalOptions& options,
                  bool has_other_output) try {
  if (options.is_json) {
    write_output(format_train_json(report));
  } else if (has_other_output) {
    if (!options.console.is_quiet) write_message(format_train_text(report));
  } else if (!options.console.is_quiet) {
    write_output(format_train_text(report));
  }
} catch (const ResourceError& error) {
  if (report.model_file.empty()) throw;
  throw ResourceError(error.what() +
                      ("; the model is saved as " + report.model_file));
}

void note_signal(const StopSignal& signal, const Console& console,
                 bool is_saved, bool is_unstarted) {
  if (signal.received() == 0) return;
  const char* const model = is_saved ? "; the best model so far is saved"
                            : is_unstarted
                                ? " before the first step; no model was saved"
                                : "; no model was saved";
  console.note("stopped by " + signal_name(signal.received()) + model);
}

/// Makes the report on each rank that has a part in it, and prints it on the
/// first.
///
/// \param is_part  each rank has a file of its own
void report_results(const TrainOptions& train, const GlobalOptions& options,
                    const TrainingData& data, const Training& training,
                    const StopSignal& signal, distributed::Allreduce* group,
                    bool is_part, bool is_saved) {
  const bool is_first_rank = group == nullptr || group->rank() == 0;
  if (!is_first_rank && !is_part) return;
  TrainReport report = make_report(train, data, training.fit(), options, signal,
                                   is_part ? group : nullptr);
  report.seconds = training.seconds;
  report.folds = training.folds;
  if (is_saved) report.model_file = train.model_file;
  if (!is_first_rank) return;
  add_overfit_warning(report);
  note_warnings(options.console, report.warnings, train.is_spark_by_layers);
  print_report(report, options,
               train.model_file == "-" || train.history_file == "-");
  if (train.is_strict) refuse_warnings(report.warnings);
}

/// Writes all results, the model first: whatever fails later, it is saved.
///
/// \param group  null if there is none
int save_results(const TrainOptions& train, const GlobalOptions& options,
                 const Params& params, const TrainingData& data,
                 const Training& training, const StopSignal& signal,
                 distributed::Allreduce* group) {
  const bool is_first_rank = group == nullptr || group->rank() == 0;
  const bool is_part = group != nullptr && train.has_own_data();
  const auto& divergence = training.ranks.divergence;
  const bool has_no_step = is_unstarted(training.fit(), params, signal);
  const bool has_checkpoint = training.checkpoint.num_written > 0;
  OutputFailures failures;
  bool is_saved = !divergence && !has_no_step && !train.model_file.empty();
  if (is_saved) {
    is_saved = failures.attempt([&] {
      save_trained_model(train, params, data, training.fit(),
                         has_checkpoint ? train.checkpoint.file : "");
    });
  }
  failures.attempt(
      [&] { save_timeline(training.ranks, train.ranks.timeline_file); });
  failures.attempt([&] {
    require_checkpoints(training.checkpoint, train.checkpoint, options.console,
                        is_saved);
  });
  if (is_first_rank) {
    failures.attempt([&] {
      write_history(train.history_file, training.history,
                    training.fit().summary);
    });
    failures.attempt([&] { write_split(data.split_lines, train); });
    note_signal(signal, options.console, is_saved, has_no_step);
  }
  failures.attempt([&] {
    report_results(train, options, data, training, signal, group, is_part,
                   is_saved);
  });
  if (divergence && is_first_rank) {
    failures.warn();
    throw divergence->with_context("", "; no model was written");
  }
  failures.rethrow_first();
  return signal.received() == 0 ? kSuccess : kSignalBase + signal.received();
}

/// Trains in this process, as a rank of a group or without one.
///
/// \param group  null if there is none
int train_here(const TrainOptions& train, const GlobalOptions& given,
               distributed::Allreduce* group) {
  GlobalOptions options = given;
  open_requested_device(options, train.precision);
  check_backend(options.backend, train);
  for (const std::string& note : train.notes) options.console.note(note);
  TrainingData data = read_training_data(train, options, group);
  if (train.num_folds == 0) prepare_training_data(data, train, options, group);
  const Params params = choose_params(train, data, options, group);
  if (train.model_file.empty()) {
    options.console.note("the model will not be saved; -o FILE saves it");
  }
  // What is reproducible must not depend on measured times.
  if (train.ranks.transport == Transport::kNone &&
      !train.ranks.is_reproducible) {
    choose_training_device(options, params, train.precision, data.train,
                           train.num_folds + 1);
  }
  options.console.detail(describe_backend(options.backend) + ", in " +
                         precision_name(train.precision) + ", with at most " +
                         std::to_string(options.num_threads) + " threads");

  const StopSignal signal;
  const auto fit_fold = [&](TrainingData& fold, const std::string& progress) {
    return fit(params, train, fold, options, signal, nullptr, progress).ranks;
  };
  std::optional<FoldScores> folds;
  if (train.num_folds > 0) {
    folds = cross_validate(data, train, options, signal, fit_fold);
    if (!folds) return kSignalBase + signal.received();
    prepare_training_data(data, train, options);
  }
  Training training = fit(params, train, data, options, signal, group);
  training.folds = std::move(folds);
  return save_results(train, options, params, data, training, signal, group);
}

/// Reports the exception that is handled and ends this process. A rank that
/// leaves its group of MPI waits for the others; the launcher ends them if one
/// ends without leaving.
[[noreturn]] void end_mpi_rank() {
  const Failure failure = describe_failure(std::current_exception());
  write_error(failure.sentence);
  ::_exit(failure.exit_code);
}

/// Trains as a rank of a group; the others learn why this one fails.
int train_in_group(TrainOptions train, GlobalOptions options,
                   distributed::Allreduce& group) {
  try {
    check_training_files(train, &group);
    take_rank(train, options, group);
    if (group.rank() == 0) {
      warn_of_unread_files(train.given_data, group.world_size());
    }
    return train_here(train, options, &group);
  } catch (const std::exception& error) {
    if (train.ranks.transport == Transport::kMpi) end_mpi_rank();
    group.leave(error);
    throw;
  }
}

}  // namespace

int run_train(const CommandLine& line, const GlobalOptions& given) {
  const TrainOptions train = read_train_options(line);
  GlobalOptions options = given;
  if (!line.has("threads")) {
    options.num_threads =
        std::max(1, options.num_threads / train.ranks.num_ranks);
  }
  if (train.ranks.is_launcher) {
    list_training_files(train, {0, train.ranks.num_ranks}).check_distinct();
    refuse_existing_checkpoint(train.checkpoint);
    return run_rank_processes(line.words, train.ranks, options.num_threads);
  }
  const ImmediateStop before_training;
  const auto group = join_group(
      train.ranks, [](const std::string& sentence) { write_error(sentence); });
  if (group) return train_in_group(train, options, *group);
  check_training_files(train, nullptr);
  return train_here(train, options, nullptr);
}

}  // namespace mlp::cli
