// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "../core/byte_stream.hpp"
#include "../core/thread_pool.hpp"
#include "../core/types.hpp"
#include "../datasets/dataset.hpp"
#include "../optim/gradient_descent.hpp"
#include "../optim/iteration_callback.hpp"
#include "../optim/lbfgs.hpp"
#include "../optim/summary.hpp"
#include "batch_norm.hpp"
#include "fit_options.hpp"
#include "instance_weights.hpp"
#include "mini_batch_trainer.hpp"
#include "params.hpp"
#include "penalized_objective.hpp"
#include "topology.hpp"
#include "training_instances.hpp"
#include "training_monitor.hpp"
#include "training_objective.hpp"
#include "validation_loss.hpp"
#include "warm_start.hpp"

namespace mlp {

/// What a training ends with.
struct TrainedWeights {
  Vector weights;     ///< [num_weights]
  Vector statistics;  ///< [num_statistics]
  optim::Summary summary;
};

namespace detail {

/// Runs a solver that sees all instances at once.
///
/// \param state  to go on from, or null
template <optim::Objective F>
optim::Summary minimize(F& objective, const Params& params, ByteReader* state,
                        Vector& weights,
                        const optim::IterationCallback& callback) {
  if (params.solver == Solver::kGradientDescent) {
    const optim::GradientDescentOptions options{params.max_iter, params.tol,
                                                resolved_step_size(params)};
    return state ? optim::resume_gradient_descent(objective, *state, weights,
                                                  options, callback)
                 : optim::minimize_gradient_descent(objective, weights, options,
                                                    callback);
  }
  optim::LbfgsOptions options;
  options.max_iter = params.max_iter;
  options.tol = params.tol;
  options.history_size = params.history_size;
  return state ? optim::resume_lbfgs(objective, *state, weights, options,
                                     callback)
               : optim::minimize_lbfgs(objective, weights, options, callback);
}

/// Saves the state of a solver that sees all instances at once, where it is time
/// to.
inline void save_if_due(const Checkpointing& checkpointing,
                        const TrainingMonitor& monitor,
                        const optim::Iteration& iteration) {
  if (!checkpointing.is_due ||
      !checkpointing.is_due(iteration.iteration, false)) {
    return;
  }
  ByteWriter writer;
  monitor.save(writer);
  iteration.solver->save(writer);
  checkpointing.write(writer.bytes());
}

/// Trains on all instances at once.
inline void train_full_batch(const Topology& topology, const Params& params,
                             const datasets::Dataset& data,
                             const TrainingInstances& instances,
                             const FitOptions& options,
                             TrainingMonitor& monitor, TrainedWeights& result) {
  const Vector weights = objective_weights(
      instances.weights(), check_partitions(data), params.block_size);
  InstanceRange range = instances.range();
  range.weights = weights.data();
  TrainingObjective objective(topology, *options.backend, range,
                              options.num_threads, options.is_stopping,
                              options.precision);
  auto reason = optim::ConvergenceReason::kNone;
  const optim::IterationCallback callback =
      [&](const optim::Iteration& iteration) {
        reason = monitor.observe(iteration, result.statistics);
        // A training that has ended goes on from nowhere.
        if (reason != optim::ConvergenceReason::kValidationStalled) {
          save_if_due(options.checkpointing, monitor, iteration);
        }
        return reason == optim::ConvergenceReason::kNone;
      };
  ByteReader reader(options.checkpointing.state, "the state");
  ByteReader* state = options.checkpointing.state.empty() ? nullptr : &reader;
  if (state) monitor.restore(reader);
  Penalty penalty = make_penalty(topology, params);
  const bool is_plain = params.freeze.empty() && penalty.reg_param == 0.0 &&
                        penalty.clip_value == 0.0 && penalty.clip_norm == 0.0;
  if (is_plain) {
    result.summary =
        minimize(objective, params, state, result.weights, callback);
  } else {
    PenalizedObjective penalized(objective, std::move(penalty));
    result.summary =
        minimize(penalized, params, state, result.weights, callback);
  }
  if (result.summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback &&
      reason != optim::ConvergenceReason::kNone) {
    result.summary.convergence_reason = reason;
  }
}

/// Trains by mini-batches.
template <typename Number>
void train_mini_batches(const Topology& topology, const Params& params,
                        const TrainingInstances& instances,
                        const FitOptions& options, ThreadPool& pool,
                        TrainingMonitor& monitor, TrainedWeights& result) {
  MiniBatchTrainer<Number> trainer(topology, params, options, instances.range(),
                                   pool, monitor);
  ValidationLoss start(topology, *options.backend, instances.range(), pool);
  const double objective =
      options.checkpointing.state.empty()
          ? start.compute(result.weights, result.statistics) +
                penalty_value(make_penalty(topology, params), result.weights)
          : 0.0;
  result.summary = trainer.train(objective, result.weights, result.statistics);
}

}  // namespace detail

/// Trains a network, by whichever solver.
///
/// \param topology  of params
/// \throws DataError, ShapeError for data that do not fit; ParamError where the
///         backend lacks what params ask for; ModelError for a state to go on from
///         that is of another training
[[nodiscard]] inline TrainedWeights train(const Topology& topology,
                                          const Params& params,
                                          const datasets::Dataset& data,
                                          const FitOptions& options) {
  const TrainingInstances instances(data, topology, params);
  if (topology.num_statistics() > 0 && data.num_instances() < 2) {
    throw DataError(data.source,
                    "batch normalisation needs at least 2 instances; got 1");
  }
  ThreadPool pool(has_mini_batches(params.solver) || options.validation
                      ? options.num_threads
                      : 1);
  TrainingMonitor monitor(topology, params, options, pool);
  StartWeights start = start_weights(topology, params, options.warm_start);
  TrainedWeights result{
      std::move(start.weights), std::move(start.statistics), {}};
  if (!has_mini_batches(params.solver)) {
    detail::train_full_batch(topology, params, data, instances, options,
                             monitor, result);
  } else if (options.precision == Precision::kFloat32) {
    detail::train_mini_batches<float>(topology, params, instances, options,
                                      pool, monitor, result);
  } else {
    detail::train_mini_batches<double>(topology, params, instances, options,
                                       pool, monitor, result);
  }
  monitor.finish(result.weights, result.statistics);
  return result;
}

}  // namespace mlp
