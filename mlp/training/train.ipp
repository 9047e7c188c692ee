// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
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
#include "../checkpoint/state_saver.hpp"
#include "../instances/instance_range.hpp"
#include "../network/topology.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/validation_loss.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "full_batch_trainer.hpp"
#include "mini_batch_trainer.hpp"
#include "rank_instances.hpp"
#include "train.hpp"
#include "training_monitor.hpp"
#include "warm_start.hpp"

namespace mlp {

namespace detail {

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

/// Trains by mini-batches.
///
/// \param[in,out] result  the start, then what the solver ends with
template <typename Number>
optim::Summary train_mini_batches(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, TrainingMonitor& monitor,
    const StateSaver& saver, TrainedWeights& result) {
  MiniBatchTrainer<Number> trainer(topology, params, options, instances, pool,
                                   monitor, saver);
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

/// Trains starting from the weights of result.
///
/// \param[in,out] result  the start, then what the solver ends with
inline optim::Summary train_instances(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, ThreadPool& pool, TrainingMonitor& monitor,
    TrainedWeights& result) {
  const StateSaver saver(options.checkpoint, instances.allreduce().rank() == 0);
  if (!has_mini_batches(params.solver)) {
    return train_full_batch(topology, params, options, instances, monitor,
                            saver, result.weights, result.statistics);
  }
  const auto train = options.precision == Precision::kFloat32
                         ? &train_mini_batches<float>
                         : &train_mini_batches<double>;
  return train(topology, params, options, instances, pool, monitor, saver,
               result);
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
  if (own.label_scale && start.has_given_output) {
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
