// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../distributed/identity.hpp"
#include "../checkpoint/state_saver.hpp"
#include "../instances/training_instances.hpp"
#include "../model/warm_start.hpp"
#include "../network/topology.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/validation_loss.hpp"
#include "../params/params.hpp"
#include "distributed_mini_batch.hpp"
#include "fit_options.hpp"
#include "full_batch_trainer.hpp"
#include "mini_batch_gradient.hpp"
#include "mini_batch_trainer.hpp"
#include "rank_instances.hpp"
#include "train.hpp"
#include "trained_weights.hpp"
#include "training_monitor.hpp"

namespace mlp {

namespace detail {

/// Computes the objective at the start: the mean loss and the penalty.
///
/// \param part  of several ranks; null where there is but one
inline double start_objective(const Topology& topology, const Params& params,
                              const FitOptions& options,
                              const InstanceRange& range,
                              const RankInstances* part, ThreadPool& pool,
                              const TrainedWeights& start) {
  const double penalty =
      penalty_value(make_penalty(topology, params), start.weights);
  const auto mean_loss = [&](const InstanceRange& instances) {
    return ValidationLoss(topology, *options.backend, instances, pool)
        .compute(start.weights, start.statistics);
  };
  if (!part) return mean_loss(range) + penalty;
  return part->mean(mean_loss, topology) + penalty;
}

/// Trains by mini-batches.
///
/// \param part  of several ranks; null where there is but one
template <typename Number>
void train_mini_batches(const Topology& topology, const Params& params,
                        const InstanceRange& range, const RankInstances* part,
                        const FitOptions& options, ThreadPool& pool,
                        TrainingMonitor& monitor, TrainedWeights& result) {
  std::unique_ptr<MiniBatchGradient<Number>> gradient;
  if (part) {
    gradient = std::make_unique<DistributedMiniBatch<Number>>(
        topology, params, options, *part, pool);
  } else {
    gradient = std::make_unique<LocalMiniBatchGradient<Number>>(
        topology, params, options, range, pool);
  }
  const StateSaver saver(options.checkpoint,
                         !part || part->allreduce().rank() == 0);
  MiniBatchTrainer<Number> trainer(
      topology, params, options, part ? part->part().num_instances : range.size,
      *gradient, pool, monitor, saver);
  const double objective = options.checkpoint.state.empty()
                               ? start_objective(topology, params, options,
                                                 range, part, pool, result)
                               : 0.0;
  result.summary = trainer.train(objective, result.weights, result.statistics);
}

/// Trains from the weights of result on.
///
/// \param part  of several ranks; null where there is but one
inline void train_instances(const Topology& topology, const Params& params,
                            const datasets::Dataset& data,
                            const TrainingInstances* instances,
                            const RankInstances* part,
                            const FitOptions& options, ThreadPool& pool,
                            TrainingMonitor& monitor, TrainedWeights& result) {
  const InstanceRange& range = part ? part->range() : instances->range();
  if (has_mini_batches(params.solver)) {
    const auto train = options.precision == Precision::kFloat32
                           ? &train_mini_batches<float>
                           : &train_mini_batches<double>;
    train(topology, params, range, part, options, pool, monitor, result);
  } else if (part) {
    train_full_batch(topology, params, *part, options, monitor, result);
  } else {
    train_full_batch(topology, params, data, *instances, options, monitor,
                     result);
  }
}

}  // namespace detail

TrainedWeights train(const Topology& topology, const Params& params,
                     const datasets::Dataset& data, const FitOptions& options) {
  distributed::Identity alone;
  FitOptions own = options;
  Distribution& distribution = own.distribution;
  if (distribution.is_reproducible && !distribution.allreduce) {
    distribution.allreduce = &alone;
    distribution.partition_sizes = data.partition_sizes;
  }
  std::optional<TrainingInstances> instances;
  std::optional<RankInstances> part;
  if (distribution.allreduce) {
    part.emplace(data, topology, params, own);
  } else {
    instances.emplace(data, topology, params);
  }
  const Index num_instances =
      part ? part->part().num_instances : data.num_instances();
  if (topology.num_statistics() > 0 && num_instances < 2) {
    throw DataError(data.source,
                    "batch normalisation needs at least 2 instances; got 1");
  }
  ThreadPool pool(
      has_mini_batches(params.solver) || own.validation ? own.num_threads : 1);
  TrainingMonitor monitor(topology, params, own, pool);
  StartWeights start = start_weights(topology, params, own.warm_start);
  TrainedWeights result{
      std::move(start.weights), std::move(start.statistics), {}};
  try {
    detail::train_instances(
        topology, params, data, instances ? &*instances : nullptr,
        part ? &*part : nullptr, own, pool, monitor, result);
  } catch (const std::exception& error) {
    // The others would wait for this rank.
    if (part) part->allreduce().cancel(std::string("left: ") + error.what());
    throw;
  }
  monitor.finish(result.weights, result.statistics);
  return result;
}

}  // namespace mlp
