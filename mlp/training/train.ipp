// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
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
#include "../../optim/summary.hpp"
#include "../backend/precision.hpp"
#include "../backend/resident_training.hpp"
#include "../checkpoint/state_saver.hpp"
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

/// Refuses to borrow other features than those of the data, and those that the
/// validation reads.
///
/// \throws ParamError
inline void check_lent_features(const datasets::Dataset& data,
                                const FitOptions& options) {
  const double* const lent = options.lent_features;
  if (lent == nullptr) return;
  const auto features = data.feature_matrix();
  if (lent != features.data()) {
    throw ParamError("lent_features",
                     "must be the features of the data that are trained on, or "
                     "null; got other memory");
  }
  if (options.validation == nullptr) return;
  const auto others = options.validation->feature_matrix();
  const std::less<> is_before;
  const bool is_apart = !is_before(lent, others.data() + others.size()) ||
                        !is_before(others.data(), lent + features.size());
  if (is_apart) return;
  throw ParamError("lent_features",
                   "must be null if the validation has the same features, "
                   "because it reads them during the training; copy them, or "
                   "lend none");
}

/// Computes the mean loss, or the accuracy, of a network over the instances of all
/// ranks.
///
/// \param compute  &ValidationLoss::compute or &ValidationLoss::accuracy
/// \throws optim::Interrupted on all ranks if one asked to stop
inline double mean_of_all(const Topology& topology, const FitOptions& options,
                          const RankInstances& instances, ThreadPool& pool,
                          const TrainedWeights& network,
                          double (ValidationLoss::*compute)(const Vector&,
                                                            const Vector&)) {
  const auto mean_of = [&](const InstanceRange& range) {
    ValidationLoss of_range(topology, *options.backend, range, pool,
                            options.is_stopping);
    return (of_range.*compute)(network.weights, network.statistics);
  };
  return instances.mean(mean_of, topology);
}

/// Trains by mini-batches with a solver.
///
/// \param         request_stop  makes the next step throw on all ranks
/// \param[in,out] result        the start, then what the solver ends with
inline optim::Summary run_batch_solver(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, BatchSolver& solver,
    std::function<void()> request_stop, TrainingMonitor& monitor,
    TrainedWeights& result) {
  const StateSaver saver(options.checkpoint, instances.allreduce().rank() == 0);
  MiniBatchTrainer trainer(topology, params, options, instances, solver,
                           std::move(request_stop), monitor, saver);
  double objective = 0.0;
  if (options.checkpoint.state.empty()) {
    try {
      objective = mean_of_all(topology, options, instances, pool, result,
                              &ValidationLoss::compute) +
                  penalty_value(make_penalty(topology, params), result.weights);
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
/// \param[in,out] result  the start, then what the solver ends with
template <typename Number>
optim::Summary train_mini_batches(const Topology& topology,
                                  const Params& params,
                                  const FitOptions& options,
                                  const RankInstances& instances,
                                  ThreadPool& pool, TrainingMonitor& monitor,
                                  TrainedWeights& result) {
  MiniBatchGradient<Number> gradient(topology, params, options, instances,
                                     pool);
  HostBatchSolver<Number> solver(topology, params, gradient, pool);
  return run_batch_solver(
      topology, params, options, instances, pool, solver,
      [&gradient] { gradient.request_stop(); }, monitor, result);
}

/// Trains by mini-batches in the memory of the backend; nothing if it has no
/// solver there.
///
/// \param[in,out] result  the start, then what the solver ends with
inline std::optional<optim::Summary> train_resident_batches(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, TrainingMonitor& monitor,
    TrainedWeights& result) {
  if (!can_be_resident(instances, options)) return std::nullopt;
  std::atomic<bool> is_stop_requested{false};
  ResidentObjective objective = make_resident_objective(
      topology, params, options, instances, is_stop_requested);
  objective.max_batch_size =
      std::min(params.batch_size, std::max<Index>(1, instances.range().size));
  const auto solver = options.backend->make_batch_solver(std::move(objective),
                                                         batch_rule(params));
  if (!solver) return std::nullopt;
  return run_batch_solver(
      topology, params, options, instances, pool, *solver,
      [&is_stop_requested] { is_stop_requested = true; }, monitor, result);
}

/// Trains starting from the weights of result.
///
/// \param[in,out] result  the start, then what the solver ends with
inline optim::Summary train_instances(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, TrainingMonitor& monitor,
    TrainedWeights& result) {
  if (!has_mini_batches(params.solver)) {
    const StateSaver saver(options.checkpoint,
                           instances.allreduce().rank() == 0);
    return train_full_batch(topology, params, options, instances, monitor,
                            saver, result.weights, result.statistics);
  }
  if (auto summary = train_resident_batches(topology, params, options,
                                            instances, pool, monitor, result)) {
    return *std::move(summary);
  }
  require_processor_precision(options);
  const auto train = options.precision == Precision::kFloat32
                         ? &train_mini_batches<float>
                         : &train_mini_batches<double>;
  return train(topology, params, options, instances, pool, monitor, result);
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
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, const Baseline& baseline,
    const TrainedWeights& network) {
  const optim::Summary& summary = network.summary;
  // At least the loss, up to the noise of an epoch or of dropout.
  const double objective = summary.objective_history[static_cast<std::size_t>(
      summary.best_iteration())];
  const auto mean_of = [&](auto compute) {
    return mean_of_all(topology, options, instances, pool, network, compute);
  };
  const NextStep step = next_step_of(params, options, summary);
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

/// Adds what a finished training warns of.
///
/// \param         baseline  of the instances of all ranks
/// \param[in,out] result    of the solver
inline void add_warnings(const Topology& topology, const Params& params,
                         const FitOptions& options,
                         const RankInstances& instances, ThreadPool& pool,
                         const Baseline& baseline, TrainedWeights& result) {
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
    add(compare_with_baseline(topology, params, options, instances, pool,
                              baseline, result));
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

TrainedWeights train(const Topology& topology, const Params& params,
                     const datasets::Dataset& data, const FitOptions& options) {
  options.backend->require(options.precision);
  detail::check_lent_features(data, options);
  distributed::Identity alone;
  const FitOptions own = detail::with_group(options, data, alone);
  const RankInstances instances(data, topology, params, own);
  if (topology.num_statistics() > 0 && instances.share().num_instances < 2) {
    throw DataError(data.source,
                    "batch normalisation needs at least 2 instances; got 1");
  }
  const Baseline baseline =
      compute_baseline(topology, instances.range(), instances.allreduce());
  ThreadPool pool(
      has_mini_batches(params.solver) || own.validation ? own.num_threads : 1);
  TrainingMonitor monitor(topology, params, own, pool);
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
    if (auto warning = warn_of_scale(data)) {
      result.warnings.push_back(*std::move(warning));
    }
  }
  try {
    result.summary = detail::train_instances(topology, params, own, instances,
                                             pool, monitor, result);
    monitor.finish(result.weights, result.statistics, result.summary);
    detail::add_warnings(topology, params, own, instances, pool, baseline,
                         result);
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
