// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/number_text.hpp"
#include "../../mlp/classifier.hpp"
#include "../commands.hpp"
#include "../console/divergence.hpp"
#include "../console/exit_code.hpp"
#include "../console/output_failures.hpp"
#include "../console/usage_error.hpp"
#include "progress.hpp"
#include "rank_files.hpp"
#include "rank_fit.hpp"
#include "rank_group.hpp"
#include "rank_processes.hpp"
#include "stop_signal.hpp"
#include "train_options.hpp"
#include "train_report.hpp"
#include "trained_model.hpp"
#include "training_checkpoint.hpp"
#include "training_data.hpp"
#include "training_files.hpp"

namespace mlp::cli {

namespace {

/// Chooses the layers if no flag gives them, and checks the other
/// hyper-parameters.
Params choose_layers(Params params, const TrainingData& data,
                     const Console& console) {
  const Index num_features = data.train.num_features();
  if (params.layers.empty()) {
    const Index num_hidden = (num_features + data.num_classes + 1) / 2;
    params.layers = {num_features, num_hidden, data.num_classes};
    console.note("the layers are " + format_list(params.layers) +
                 "; --layers chooses others");
    validate_flags(params);
  }
  if (params.layers.front() != num_features) {
    throw DataError(data.train.source,
                    "expected " + std::to_string(params.layers.front()) +
                        " features for layers " + format_list(params.layers) +
                        ", got " + std::to_string(num_features) +
                        "; start --layers with " +
                        std::to_string(num_features));
  }
  return params;
}

struct Training {
  RankFit ranks;
  CheckpointOutcome checkpoint;
  double seconds = 0.0;

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

/// Watches the fit: shows progress, and stops it at a signal or if mini-batches
/// give numbers that are not finite.
optim::IterationCallback make_callback(ProgressDisplay& display,
                                       const Params& params,
                                       const StopSignal& signal) {
  const bool stops_at_nan = has_mini_batches(params.solver);
  return [&display, &signal, stops_at_nan](const optim::Iteration& iteration) {
    display.show(iteration);
    const bool is_lost = stops_at_nan && !std::isfinite(iteration.objective);
    return !*signal.flag() && !is_lost;
  };
}

Training fit(const Params& params, const TrainOptions& train,
             const TrainingData& data, const GlobalOptions& options,
             const StopSignal& signal, distributed::Allreduce* group) {
  ProgressState state;
  state.max_iter = params.max_iter;
  state.num_instances = data.num_instances;
  state.is_upper_bound =
      params.solver == Solver::kLbfgs || data.validation.has_value() ||
      (params.solver == Solver::kGradientDescent && params.tol > 0.0);
  ProgressDisplay display(choose_progress_style(options), state);
  FitOptions fit_options;
  fit_options.backend = options.backend.implementation;
  fit_options.precision = train.precision;
  fit_options.num_threads = options.num_threads;
  fit_options.is_stopping = signal.flag();
  fit_options.on_iteration = make_callback(display, params, signal);
  if (data.validation) fit_options.validation = &*data.validation;
  if (train.warm_start) fit_options.warm_start = &*train.warm_start;
  fit_options.distribution.is_reproducible = train.ranks.is_reproducible;
  CheckpointOutcome outcome;
  {
    const ImmediateStop before_training;
    fit_options.checkpoint = make_checkpoint_options(
        train, params, data, fit_options, group, options.console, outcome);
  }
  // From here on a signal stops all ranks together.
  if (group) static_cast<void>(group->all_gather("begin"));
  options.console.detail("training begins");
  const auto start = std::chrono::steady_clock::now();
  RankFit result =
      fit_on_ranks(params, train, data, fit_options, group, options.console);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  display.finish();
  return {std::move(result), std::move(outcome), elapsed.count()};
}

/// Measures and describes the result of a training.
///
/// \param group  of ranks that each have a file of their own, which all call this
///               function; otherwise null
TrainReport make_report(const TrainOptions& options, const TrainingData& data,
                        const Training& training, const GlobalOptions& global,
                        bool is_saved, const StopSignal& signal,
                        distributed::Allreduce* group) {
  const Model& model = training.fit().model;
  TrainReport report;
  report.summary = training.fit().summary;
  const Backend& backend = *global.backend.implementation;
  MetricsLimit limit(signal.flag());
  const auto measure = [&](const datasets::Dataset& part,
                           distributed::Allreduce* ranks) {
    return measure_quality(model, part.features, part.labels,
                           global.num_threads, backend, limit, ranks);
  };
  report.train = measure(data.train, group);
  if (data.test) report.test = measure(*data.test, nullptr);
  if (data.validation) report.validation = measure(*data.validation, nullptr);
  report.seconds = training.seconds;
  report.backend = global.backend;
  report.precision = options.precision;
  report.layers = model.layers();
  report.is_regressor = model.is_regressor();
  report.label_names = data.label_names;
  if (is_saved) report.model_file = options.model_file;
  return report;
}

/// Prints the report, for a script or for a person.
///
/// \param has_model  true if standard output is for the model
void print_report(const TrainReport& report, const GlobalOptions& options,
                  bool has_model) {
  if (options.is_json) {
    write_output(format_train_json(report));
  } else if (has_model) {
    if (!options.console.is_quiet) write_message(format_train_text(report));
  } else if (!options.console.is_quiet) {
    write_output(format_train_text(report));
  }
}

/// Makes this process a rank of a group: only rank 0 prints, and each rank has
/// its own files if their names contain {rank}.
void take_rank(TrainOptions& train, GlobalOptions& options,
               const distributed::Allreduce& group) {
  train.data_file = file_of_rank(train.data_file, group.rank());
  train.labels_file = file_of_rank(train.labels_file, group.rank());
  const bool is_own_model = has_rank(train.model_file);
  train.model_file = file_of_rank(train.model_file, group.rank());
  if (group.rank() == 0) return;
  options.console.is_quiet = true;
  options.progress = ProgressMode::kNever;
  if (!is_own_model) train.model_file.clear();
}

/// Writes the timeline of all ranks, if there is one.
void save_timeline(const RankFit& ranks, const std::string& file) {
  if (ranks.timeline_failure) std::rethrow_exception(ranks.timeline_failure);
  if (!ranks.timeline.empty()) {
    replace_file<ResourceError>(file, ranks.timeline);
  }
}

/// \throws ResourceError if a checkpoint was not written
void require_checkpoints(const CheckpointOutcome& outcome, bool is_saved) {
  if (outcome.num_failed == 0) return;
  throw ResourceError(outcome.failure + "; " +
                      std::to_string(outcome.num_failed) + " of " +
                      std::to_string(outcome.num_failed + outcome.num_written) +
                      " checkpoints were not written" +
                      (is_saved ? ", but the model is saved" : ""));
}

void note_signal(const StopSignal& signal, const Console& console,
                 bool is_saved) {
  if (signal.received() == 0) return;
  console.note(
      std::string("stopped by ") +
      (signal.received() == SIGINT ? "SIGINT" : "SIGTERM") +
      (is_saved ? "; the best model so far is saved" : "; no model was saved"));
}

/// Writes all results, the model first: whatever fails later, it is saved.
///
/// \param group  null if there is none
int save_results(const TrainOptions& train, const GlobalOptions& options,
                 const Params& params, const TrainingData& data,
                 const Training& training, const StopSignal& signal,
                 distributed::Allreduce* group) {
  const bool is_first_rank = group == nullptr || group->rank() == 0;
  const bool is_part = group != nullptr && has_rank(train.given_data_file);
  const bool is_diverged = has_diverged(training.fit());
  const bool has_checkpoint = training.checkpoint.num_written > 0;
  OutputFailures failures;
  bool is_saved = !is_diverged && !train.model_file.empty();
  if (is_saved) {
    is_saved = failures.attempt([&] {
      save_trained_model(train, params, data, training.fit(),
                         has_checkpoint ? train.checkpoint.file : "");
    });
  }
  failures.attempt(
      [&] { save_timeline(training.ranks, train.ranks.timeline_file); });
  failures.attempt([&] { require_checkpoints(training.checkpoint, is_saved); });
  if (is_first_rank) note_signal(signal, options.console, is_saved);
  if (is_first_rank || is_part) {
    failures.attempt([&] {
      const TrainReport report =
          make_report(train, data, training, options, is_saved, signal,
                      is_part ? group : nullptr);
      if (is_first_rank) {
        print_report(report, options, train.model_file == "-");
      }
    });
  }
  if (is_diverged && is_first_rank) {
    failures.warn();
    throw DivergedError(
        describe_divergence(training.fit(), params, data.scaler.has_value()));
  }
  failures.rethrow_first();
  return signal.received() == 0 ? kSuccess : kSignalBase + signal.received();
}

/// Trains in this process, as a rank of a group or without one.
///
/// \param group  null if there is none
int train_here(const TrainOptions& train, const GlobalOptions& options,
               distributed::Allreduce* group) {
  check_backend(options.backend, train);
  for (const std::string& note : train.notes) options.console.note(note);
  const TrainingData data = load_training_data(train, options, group);
  const Params params = choose_layers(train.params, data, options.console);
  if (train.model_file.empty()) {
    options.console.note("the model will not be saved; -o FILE saves it");
  }
  options.console.detail(describe_backend(options.backend) + ", in " +
                         precision_name(train.precision) + ", with at most " +
                         std::to_string(options.num_threads) + " threads");

  const StopSignal signal;
  const Training training = fit(params, train, data, options, signal, group);
  return save_results(train, options, params, data, training, signal, group);
}

/// Reports the exception that is handled and ends this process. A rank that
/// leaves its group of MPI waits for the others; the launcher ends them if one
/// ends without leaving.
[[noreturn]] void end_mpi_rank() {
  const Failure failure = describe_failure(std::current_exception());
  write_message("mlp: error: " + failure.sentence + '\n');
  ::_exit(failure.exit_code);
}

/// Trains as a rank of a group; the others learn why this one fails.
int train_in_group(TrainOptions train, GlobalOptions options,
                   distributed::Allreduce& group) {
  try {
    check_training_files(train, &group);
    take_rank(train, options, group);
    if (group.rank() == 0) {
      warn_of_unread_file(train.given_data_file, group.world_size());
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
    return run_rank_processes(line.words, train.ranks, options.num_threads);
  }
  const ImmediateStop before_training;
  const auto group = join_group(train.ranks, [](const std::string& sentence) {
    write_message("mlp: error: " + sentence + '\n');
  });
  if (group) return train_in_group(train, options, *group);
  check_training_files(train, nullptr);
  return train_here(train, options, nullptr);
}

}  // namespace mlp::cli
