// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
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

/// Computes the objective at the start: the mean loss and the penalty.
///
/// \throws optim::Interrupted on all ranks if one asked to stop
inline double start_objective(const Topology& topology, const Params& params,
                              const FitOptions& options,
                              const RankInstances& instances, ThreadPool& pool,
                              const TrainedWeights& start) {
  const auto mean_loss = [&](const InstanceRange& range) {
    return ValidationLoss(topology, *options.backend, range, pool,
                          options.is_stopping)
        .compute(start.weights, start.statistics);
  };
  return instances.mean(mean_loss, topology) +
         penalty_value(make_penalty(topology, params), start.weights);
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
      objective =
          start_objective(topology, params, options, instances, pool, result);
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
  try {
    result.summary = detail::train_instances(topology, params, own, instances,
                                             pool, monitor, result);
  } catch (const std::exception& error) {
    // The other ranks would wait for this one.
    instances.allreduce().leave(error);
    throw;
  }
  monitor.finish(result.weights, result.statistics, result.summary);
  if (own.label_scale) {
    own.label_scale->restore_output(topology, result.weights);
  }
  return result;
}

}  // namespace mlp
