// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../../core/error.hpp"
#include "../../optim/objective.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/output_failures.hpp"
#include "../console/training_notes.hpp"
#include "../device/device_choice.hpp"
#include "../fit/fit.hpp"
#include "../fit/folds/folds.hpp"
#include "../fit/folds/selection.hpp"
#include "../fit/ranks/rank_data.hpp"
#include "../fit/ranks/rank_files.hpp"
#include "../fit/ranks/rank_fit.hpp"
#include "../fit/ranks/rank_group.hpp"
#include "../fit/ranks/rank_processes.hpp"
#include "../fit/stop_signal.hpp"
#include "../fit/trained_model.hpp"
#include "../fit/training_checkpoint.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_files.hpp"
#include "../fit/training_job.hpp"
#include "history_file.hpp"
#include "preset.hpp"
#include "progress.hpp"
#include "train_flags.hpp"
#include "train_report.hpp"

namespace mlp::cli {

namespace {

/// The result of a training.
struct Training {
  RankFit fit;  ///< without a timeline if there are no ranks
  CheckpointOutcome checkpoint;
  HistoryRecorder history;
  double seconds = 0.0;
  std::optional<FoldScores> folds;
  bool is_of_several = false;  ///< select() trained it
};

/// Refuses what the backend lacks, before the data are read.
void check_backend(const ChosenBackend& backend, const TrainOptions& train) {
  if (has_mini_batches(train.params.solver)) {
    static_cast<void>(backend.implementation->make_batch_evaluator(
        Topology({1, 1}), {}, std::type_identity<double>{}));
    return;
  }
  try {
    static_cast<void>(backend.implementation->make_gradient_evaluator(
        Topology({1, 1}), train.precision));
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

/// Trains on the rows of data.train.
///
/// \param beginning  of the lines of progress
Training train(const TrainingJob& job, TrainingData& data,
               const StopSignal& signal, const std::string& beginning = "") {
  ProgressDisplay display(
      choose_progress_style(job.global),
      make_progress(job.params, data.num_instances, data.validation.has_value(),
                    beginning));
  FitOptions options = make_fit_options(job, data, signal);
  CheckpointOutcome checkpoint;
  {
    const ImmediateStop before_training;
    options.checkpoint =
        make_checkpoint_options(job, data, options, checkpoint);
  }
  // From here on a signal stops all ranks together.
  if (job.group) static_cast<void>(job.group->all_gather("begin"));
  job.global.console.detail(beginning + "training begins");
  HistoryRecorder history;
  options.on_iteration = make_callback(
      display, signal, job.options.history_file.empty() ? nullptr : &history);
  data.instances = std::make_unique<TrainingInstances>(std::move(data.train));
  const auto start = std::chrono::steady_clock::now();
  RankFit fit = needs_ranks(job) ? fit_on_ranks(job, *data.instances, options)
                                 : RankFit{run_fit(network_params(job, data),
                                                   *data.instances, options),
                                           "",
                                           {}};
  if (data.scale_warning) {
    auto& warnings = fit.result.warnings;
    warnings.insert(warnings.begin(), *data.scale_warning);
  }
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  display.finish();
  return {std::move(fit),  std::move(checkpoint), std::move(history),
          elapsed.count(), std::nullopt,          false};
}

/// Trains several networks, and joins them in one.
Training select(TrainingJob& job, TrainingData& data, SelectionPlan plan,
                const StopSignal& signal) {
  ProgressState progress;
  progress.max_trainings = max_trainings(plan);
  ProgressDisplay display(choose_progress_style(job.global), progress);
  plan.on_training = [&] { display.show_training(); };
  const FitOptions options = make_fit_options(job, data, signal);
  const auto start = std::chrono::steady_clock::now();
  try {
    Fit fit{run_selection(job, data, options, plan), std::nullopt};
    display.finish();
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    data.instances = std::make_unique<TrainingInstances>(std::move(data.train));
    return {{std::move(fit), "", {}}, {}, {}, elapsed.count(), {}, true};
  } catch (const DivergedError&) {
    display.finish();
    throw;
  }
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

/// Says what is trained of several networks when a signal stops them: "" if it is a
/// part of a training.
std::string describe_trained(const Training& training) {
  const FitResult& result = training.fit.result;
  if (!training.is_of_several) return "";
  if (result.selection) {
    const Index num_networks = result.selection->num_networks;
    return ": the folds have chosen, and " + std::to_string(num_networks) +
           (num_networks == 1 ? " network is" : " networks are") + " trained";
  }
  return result.summary.convergence_reason ==
                 optim::ConvergenceReason::kStoppedByCallback
             ? ""
             : ": one network is trained, as by --effort quick, and none of "
               "the folds' choice";
}

/// Says that a model lacks the intervals or sets that a flag asks for: those of unseen rows
/// need the trainings of all folds. "" if it has them, or none are asked for.
std::string describe_lost_region(const TrainOptions& options,
                                 const Model& model) {
  if (!options.coverage || model.prediction_interval() ||
      model.prediction_set()) {
    return "";
  }
  return std::string(" without ") +
         (model.is_regressor() ? "the intervals of --interval"
                               : "the sets of --coverage") +
         ", which need the training of all folds";
}

void note_signal(const StopSignal& signal, const TrainingJob& job,
                 const Training& training, bool is_saved, bool is_unstarted) {
  if (signal.received() == 0) return;
  const std::string model =
      is_saved
          ? "; the best model so far is saved" +
                describe_lost_region(job.options, training.fit.result.model)
      : is_unstarted ? " before the first step; no model was saved"
                     : "; no model was saved";
  job.global.console.note("stopped by " + signal_name(signal.received()) +
                          describe_trained(training) + model);
}

/// Makes the report, and prints it on the first rank. If each rank has files of its
/// own, all ranks measure their instances.
void report_results(const TrainingJob& job, const TrainingData& data,
                    const Training& training, const StopSignal& signal,
                    bool is_saved) {
  if (!job.is_first_rank() && !job.group_of_parts()) return;
  const TrainOptions& options = job.options;
  TrainReport report = make_report(job, data, training.fit.result, signal);
  report.seconds = training.seconds;
  report.folds = training.folds;
  if (is_saved) report.model_file = options.model_file;
  if (!job.is_first_rank()) return;
  add_overfit_warning(report);
  note_warnings(job.global.console, report.warnings,
                options.is_spark_by_layers);
  print_report(report, job.global,
               options.model_file == "-" || options.history_file == "-");
  if (options.is_strict) refuse_warnings(report.warnings);
}

/// Writes all results, the model first: whatever fails later, it is saved.
int save_results(const TrainingJob& job, const TrainingData& data,
                 const Training& training, const StopSignal& signal) {
  const TrainOptions& options = job.options;
  const Console& console = job.global.console;
  const FitResult& result = training.fit.result;
  const auto& divergence = training.fit.divergence;
  const bool has_no_step = is_unstarted(result, job.params, signal);
  OutputFailures failures;
  bool is_saved = !divergence && !has_no_step && !options.model_file.empty();
  if (is_saved) {
    const bool has_checkpoint = training.checkpoint.num_written > 0;
    is_saved = failures.attempt([&] {
      save_trained_model(job, data, result,
                         has_checkpoint ? options.checkpoint.file : "");
    });
  }
  failures.attempt(
      [&] { save_timeline(training.fit, options.ranks.timeline_file); });
  failures.attempt([&] {
    require_checkpoints(training.checkpoint, options.checkpoint, console,
                        is_saved);
  });
  if (job.is_first_rank()) {
    failures.attempt([&] {
      write_history(options.history_file, training.history, result.summary);
    });
    failures.attempt(
        [&] { write_split(data.split_lines, options, data.has_header); });
    note_signal(signal, job, training, is_saved, has_no_step);
  }
  failures.attempt(
      [&] { report_results(job, data, training, signal, is_saved); });
  if (divergence && job.is_first_rank()) {
    failures.warn();
    throw divergence->with_context("", "; no model was written");
  }
  failures.rethrow_first();
  return signal.received() == 0 ? kSuccess : kSignalBase + signal.received();
}

/// Prepares the rows, in this process or together with its group.
void prepare(TrainingData& data, const TrainingJob& job) {
  if (job.group) {
    prepare_rank_data(data, job);
  } else {
    prepare_training_data(data, job.options, job.global);
  }
}

/// Returns hyper-parameters with the shuffling of the mini-batches, which the model file
/// tells then.
Params choose_shuffle(const TrainingJob& job, const TrainingData& data,
                      const Params& given) {
  const bool has_ranks =
      job.group != nullptr || job.options.ranks.num_ranks > 1;
  Params params = with_shuffle(given, data.train, has_ranks);
  if (params.shuffle != given.shuffle) {
    job.global.console.note(
        "mini-batches take slabs of rows, which are read from the file in one "
        "piece; --shuffle slabs gives the same model with features in memory, "
        "and --shuffle rows reads each row alone");
  }
  return params;
}

/// Trains in this process, as a rank of its group or without one.
int train_here(TrainingJob& job) {
  const TrainOptions& options = job.options;
  check_encoding(options, job.group ? job.group->world_size() : 1);
  open_requested_device(job.global, options.precision);
  check_backend(job.global.backend, options);
  for (const std::string& note : options.notes) job.global.console.note(note);
  TrainingData data =
      job.group ? read_rank_data(job) : read_training_data(options, job.global);
  // The folds of a selection are those that choose; they are not nested in others.
  const bool is_validated =
      options.num_folds > 0 && options.effort == Effort::kQuick;
  if (is_validated) {
    choose_columns(data, options, job.global.console);
  } else {
    prepare(data, job);
  }
  job.params = choose_shuffle(job, data, choose_params(job, data));
  if (options.model_file.empty()) {
    job.global.console.note("the model will not be saved; -o FILE saves it");
  }
  job.global.console.detail(
      describe_backend(job.global.backend) + ", in " +
      precision_name(options.precision) + ", with at most " +
      std::to_string(job.global.num_threads) + " threads");

  const StopSignal signal;
  std::optional<FoldScores> folds;
  if (is_validated) {
    folds = cross_validate(
        data, options, job.global, signal,
        [&](TrainingData& fold, const std::string& beginning) -> Fit {
          return train(job, fold, signal, beginning).fit;
        });
    if (!folds) return kSignalBase + signal.received();
    prepare(data, job);
  }
  if (auto plan =
          plan_trainings(job, data, make_fit_options(job, data, signal))) {
    return save_results(job, data, select(job, data, *std::move(plan), signal),
                        signal);
  }
  if (options.effort != Effort::kQuick) {
    scale(data, options, job.global.console);
  }
  // The encoding of numbers may have moved the features to a file.
  job.params = choose_shuffle(job, data, job.params);
  Training training = train(job, data, signal);
  training.folds = std::move(folds);
  return save_results(job, data, training, signal);
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
int train_in_group(TrainingJob& job) {
  try {
    check_training_files(job.options, job.group);
    take_rank(job);
    if (job.group->rank() == 0) {
      warn_of_unread_files(job.options.given_data, job.group->world_size());
    }
    return train_here(job);
  } catch (const std::exception& error) {
    if (job.options.ranks.transport == Transport::kMpi) end_mpi_rank();
    job.group->leave(error);
    throw;
  }
}

}  // namespace

int run_train(const CommandLine& line, const GlobalOptions& global) {
  TrainingJob job{read_train_options(line), global, nullptr, {}};
  const RankOptions& ranks = job.options.ranks;
  if (!line.has("threads")) {
    job.global.num_threads =
        std::max(1, job.global.num_threads / ranks.num_ranks);
  }
  if (ranks.is_launcher) {
    list_training_files(job.options, {0, ranks.num_ranks}).check_distinct();
    refuse_existing_checkpoint(job.options.checkpoint);
    return run_rank_processes(line.words, ranks, job.global.num_threads);
  }
  const ImmediateStop before_training;
  const auto group = join_group(
      ranks, [](const std::string& sentence) { write_error(sentence); });
  job.group = group.get();
  if (group) return train_in_group(job);
  check_training_files(job.options, nullptr);
  return train_here(job);
}

}  // namespace mlp::cli
