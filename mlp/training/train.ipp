// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../distributed/identity.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/stop_request.hpp"
#include "../../optim/summary.hpp"
#include "../backend/precision.hpp"
#include "../backend/resident_training.hpp"
#include "../instances/instance_range.hpp"
#include "../network/topology.hpp"
#include "../objective/baseline.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/validation_loss.hpp"
#include "../objective/weight_ranges.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "full_batch_trainer.hpp"
#include "host_batch_solver.hpp"
#include "mini_batch_gradient.hpp"
#include "mini_batch_trainer.hpp"
#include "rank_instances.hpp"
#include "resident_objective.hpp"
#include "train.hpp"
#include "training_monitor.hpp"
#include "training_run.hpp"
#include "training_warnings.hpp"
#include "warm_start.hpp"

namespace mlp {

namespace detail {

/// Refuses a precision of devices in a training by mini-batches that no device
/// can hold.
///
/// \throws ParamError
inline void require_processor_precision(const FitOptions& options) {
  if (is_processor_precision(options.precision)) return;
  throw ParamError(
      "precision",
      std::string("must be float64 or float32 for mini-batches that ranks ")
          .append(
              "share without NCCL, or with reproducible or a timeline; got ")
          .append(precision_name(options.precision)));
}

/// Refuses features in a file with a backend that has its own memory.
///
/// \throws ParamError
inline void check_file(const datasets::Dataset& data,
                       const FitOptions& options) {
  const bool has_file =
      data.stored || (options.validation && options.validation->stored);
  if (!has_file || options.backend->resident_training() == nullptr) return;
  throw ParamError("backend",
                   std::string("must be cpu for features that do not fit into "
                               "memory; got ") +
                       options.backend->name());
}

/// Refuses a validation that reads the features which the fit owns: a copy may
/// replace them during the training.
///
/// \throws ParamError
inline void check_validation(TrainingInstances& data,
                             const FitOptions& options) {
  if (options.validation == nullptr || data.store() == nullptr) return;
  if (data.data().stored || options.validation->stored) return;
  const auto own = data.data().feature_matrix();
  const auto others = options.validation->feature_matrix();
  const std::less<> is_before;
  const bool is_apart = !is_before(own.data(), others.data() + others.size()) ||
                        !is_before(others.data(), own.data() + own.size());
  if (is_apart) return;
  throw ParamError("validation",
                   "must have features of its own; got those of the instances "
                   "that the fit owns and may replace; copy them, or let the "
                   "fit view its instances");
}

/// Computes the mean loss, or the accuracy, of a network over the instances of all
/// ranks.
///
/// \param compute  &ValidationLoss::compute or &ValidationLoss::accuracy
/// \throws optim::Interrupted on all ranks if one asked to stop
inline double mean_of_all(const TrainingRun& run, const TrainedWeights& network,
                          double (ValidationLoss::*compute)(const Vector&,
                                                            const Vector&)
                              const) {
  const auto mean_of = [&](const InstanceRange& range) {
    const ValidationLoss of_range(run.topology, *run.options.backend, range,
                                  run.pool, run.options.is_stopping);
    return (of_range.*compute)(network.weights, network.statistics);
  };
  return run.instances.mean(mean_of, run.topology);
}

/// Trains by mini-batches with a solver.
///
/// \param[in,out] result  the start, then the result of the solver
inline optim::Summary run_batch_solver(const TrainingRun& run,
                                       BatchSolver& solver,
                                       TrainedWeights& result) {
  MiniBatchTrainer trainer(run, solver);
  double objective = 0.0;
  if (run.options.checkpoint.state.empty()) {
    try {
      objective =
          mean_of_all(run, result, &ValidationLoss::compute) +
          penalty_value(make_penalty(run.topology, run.params), result.weights);
    } catch (const optim::Interrupted&) {
      optim::Summary summary;
      summary.convergence_reason = optim::ConvergenceReason::kStoppedByCallback;
      return summary;
    }
  }
  return trainer.train(objective, result.weights, result.statistics);
}

/// Trains by mini-batches in the memory of the host.
///
/// \param[in,out] result  the start, then the result of the solver
template <typename Number>
optim::Summary train_mini_batches(const TrainingRun& run,
                                  TrainedWeights& result) {
  MiniBatchGradient<Number> gradient(run);
  HostBatchSolver<Number> solver(run, gradient);
  return run_batch_solver(run, solver, result);
}

/// Trains by mini-batches in the memory of the backend.
///
/// \param[in,out] result  the start, then the result of the solver
inline optim::Summary train_resident_batches(const TrainingRun& run,
                                             const ResidentTraining& resident,
                                             TrainedWeights& result) {
  ResidentObjective objective = make_resident_objective(run);
  objective.max_batch_size = std::min(
      run.params.batch_size, std::max<Index>(1, run.instances.range().size));
  const auto solver =
      resident.make_batch_solver(objective, batch_rule(run.params));
  return run_batch_solver(run, *solver, result);
}

/// Trains starting from the weights of result.
///
/// \param[in,out] result  the start, then the result of the solver
inline optim::Summary train_instances(const TrainingRun& run,
                                      TrainedWeights& result) {
  if (!has_mini_batches(run.params.solver)) {
    return train_full_batch(run, result.weights, result.statistics);
  }
  if (const auto* const resident = resident_training(run)) {
    return train_resident_batches(run, *resident, result);
  }
  require_processor_precision(run.options);
  return run.options.precision == Precision::kFloat32
             ? train_mini_batches<float>(run, result)
             : train_mini_batches<double>(run, result);
}

/// Returns what may help a training that has not learned.
inline NextStep next_step_of(const Params& params, const FitOptions& options,
                             const optim::Summary& summary) {
  const auto& history = summary.objective_history;
  if (params.solver != Solver::kLbfgs && history.back() > history.front()) {
    return NextStep::kSmallerSteps;
  }
  if (!options.has_final_scale) return NextStep::kScale;
  return summary.convergence_reason == optim::ConvergenceReason::kMaxIter
             ? NextStep::kTrainLonger
             : NextStep::kOtherData;
}

/// Returns the warning of a network that is no better than a prediction without
/// features.
///
/// \throws optim::Interrupted on all ranks if one asked to stop
inline std::optional<FitWarning> compare_with_baseline(
    const TrainingRun& run, const Baseline& baseline,
    const TrainedWeights& network) {
  const Topology& topology = run.topology;
  const Params& params = run.params;
  const optim::Summary& summary = network.summary;
  // At least the loss, up to the noise of an epoch or of dropout.
  const double objective = summary.objective_history[static_cast<std::size_t>(
      summary.best_iteration())];
  const auto mean_of = [&](auto compute) {
    return mean_of_all(run, network, compute);
  };
  const NextStep step = next_step_of(params, run.options, summary);
  // Weights of classes make a network wrong more often on purpose.
  if (has_classes(topology.loss()) && params.class_weights.empty() &&
      may_be_wrong_as_often(objective, params.label_smoothing, baseline)) {
    if (auto warning = warn_of_accuracy(mean_of(&ValidationLoss::accuracy),
                                        baseline, step)) {
      return warning;
    }
  }
  if (!is_near_baseline(objective, baseline.loss)) return std::nullopt;
  return warn_of_loss(mean_of(&ValidationLoss::compute), baseline.loss,
                      has_classes(topology.loss()), step);
}

/// Adds the warnings of a finished training.
///
/// \param         baseline  of the instances of all ranks
/// \param[in,out] result    of the solver
inline void add_warnings(const TrainingRun& run, const Baseline& baseline,
                         TrainedWeights& result) {
  const optim::Summary& summary = result.summary;
  const auto add = [&](std::optional<FitWarning> warning) {
    if (warning) result.warnings.push_back(*std::move(warning));
  };
  if (summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback ||
      summary.total_iterations() == 0 ||
      !std::isfinite(summary.objective_history.back())) {
    return;
  }
  add(warn_of_search(summary));
  add(warn_of_max_iter(summary));
  if (auto warning = warn_of_validation(summary)) {
    // The weights are the initial ones: what they lack needs no second sentence.
    add(std::move(warning));
    return;
  }
  try {
    add(compare_with_baseline(run, baseline, result));
  } catch (const optim::Interrupted&) {
    // The training is over; nobody waits for a warning.
  }
}

/// The options with a group: if none is given, a group of this rank only.
inline FitOptions with_group(const FitOptions& options,
                             const datasets::Dataset& data,
                             distributed::Identity& alone) {
  FitOptions own = options;
  if (own.distribution.allreduce) return own;
  own.distribution.allreduce = &alone;
  own.distribution.partition_sizes = data.partition_sizes;
  return own;
}

}  // namespace detail

TrainedWeights train(const Topology& topology, const Params& given,
                     TrainingInstances& data, const FitOptions& options) {
  options.backend->require(options.precision);
  const bool has_ranks = options.distribution.allreduce != nullptr;
  const Params params = with_shuffle(given, data.data(), has_ranks);
  if (FeatureStore* const store = data.store()) store->restore_rows();
  detail::check_file(data.data(), options);
  detail::check_validation(data, options);
  distributed::Identity alone;
  const FitOptions own = detail::with_group(options, data.data(), alone);
  const RankInstances instances(data, topology, params, own);
  if (topology.num_statistics() > 0 &&
      instances.partition().num_instances < 2) {
    throw DataError(data.data().source,
                    "batch normalisation needs at least 2 instances; got 1");
  }
  const Baseline baseline =
      compute_baseline(topology, instances.range(), instances.allreduce());
  ThreadPool pool(
      has_mini_batches(params.solver) || own.validation ? own.num_threads : 1);
  TrainingMonitor monitor(topology, params, own, pool);
  optim::StopRequest stop(own.is_stopping);
  const TrainingRun run{topology, params, own, instances, pool, monitor, stop};
  StartWeights start = start_weights(topology, params, own.warm_start);
  if (params.one_output) use_one_output(topology, start.weights);
  if (!own.label_scale) {
    start_at_mean(topology, params, instances, start);
  } else if (start.has_given_output) {
    own.label_scale->scale_output(topology, start.weights);
  }
  TrainedWeights result{
      std::move(start.weights), std::move(start.statistics), {}};
  if (!own.has_final_scale) {
    if (auto warning = warn_of_scale(data.data())) {
      result.warnings.push_back(*std::move(warning));
    }
  }
  try {
    result.summary = detail::train_instances(run, result);
    monitor.finish(result.weights, result.statistics, result.summary);
    detail::add_warnings(run, baseline, result);
  } catch (const std::exception& error) {
    // The other ranks would wait for this one.
    instances.allreduce().leave(error);
    throw;
  }
  if (own.label_scale) {
    own.label_scale->restore_output(topology, result.weights);
  }
  return result;
}

}  // namespace mlp
