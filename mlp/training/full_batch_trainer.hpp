// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../optim/gradient_descent.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/lbfgs.hpp"
#include "../../optim/summary.hpp"
#include "../checkpoint/state_saver.hpp"
#include "../instances/instance_weights.hpp"
#include "../instances/training_instances.hpp"
#include "../network/topology.hpp"
#include "../objective/distributed_objective.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/training_objective.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "rank_instances.hpp"
#include "trained_weights.hpp"
#include "training_monitor.hpp"

namespace mlp {

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

/// An objective that has a state saved before an error leaves it.
template <optim::Objective F>
class RescuedObjective {
 public:
  /// \param rescue  must not throw
  RescuedObjective(F& objective, std::function<void()> rescue)
      : objective_(objective), rescue_(std::move(rescue)) {}

  double value_and_gradient(const Vector& weights, Vector& gradient) {
    try {
      return objective_.value_and_gradient(weights, gradient);
    } catch (...) {
      rescue_();
      throw;
    }
  }

 private:
  F& objective_;
  std::function<void()> rescue_;
};

/// Watches a solver that sees all instances at once: shows its iterations to the
/// monitor and saves its state.
class FullBatchWatch {
 public:
  /// \param request_stop  makes the next evaluation throw on all ranks; empty
  ///                      where there is but one
  FullBatchWatch(TrainingMonitor& monitor, const StateSaver& saver,
                 const Vector& statistics, std::function<void()> request_stop)
      : monitor_(monitor),
        saver_(saver),
        statistics_(statistics),
        request_stop_(std::move(request_stop)) {}

  /// Takes in an iteration; false where the solver should stop.
  bool observe(const optim::Iteration& iteration) {
    solver_ = iteration.solver;
    reason_ = monitor_.observe(iteration, statistics_);
    // A training that has ended goes on from nowhere.
    if (reason_ != optim::ConvergenceReason::kValidationStalled) {
      saver_.save_if_due(iteration.iteration, false,
                         [this](ByteWriter& writer) { write(writer); });
    }
    if (reason_ == optim::ConvergenceReason::kNone) return true;
    // The others cannot know what this rank's caller wants.
    if (reason_ != optim::ConvergenceReason::kStoppedByCallback ||
        !request_stop_) {
      return false;
    }
    request_stop_();
    return true;
  }

  /// Saves the state of the last iteration. An evaluation that fails calls it.
  void rescue() noexcept {
    if (solver_) saver_.rescue([this](ByteWriter& writer) { write(writer); });
  }

  /// Why the solver was told to stop, or kNone.
  [[nodiscard]] optim::ConvergenceReason reason() const { return reason_; }

 private:
  void write(ByteWriter& writer) const {
    monitor_.save(writer);
    solver_->save(writer);
  }

  TrainingMonitor& monitor_;
  const StateSaver& saver_;
  const Vector& statistics_;
  std::function<void()> request_stop_;
  const optim::Resumable* solver_ = nullptr;
  optim::ConvergenceReason reason_ = optim::ConvergenceReason::kNone;
};

/// Runs a solver that sees all instances at once, with what else changes its
/// objective.
template <optim::Objective F>
void solve(F& objective, const Topology& topology, const Params& params,
           const FitOptions& options, TrainingMonitor& monitor,
           FullBatchWatch& watch, TrainedWeights& result) {
  RescuedObjective rescued(objective, [&watch] { watch.rescue(); });
  const optim::IterationCallback callback =
      [&watch](const optim::Iteration& iteration) {
        return watch.observe(iteration);
      };
  ByteReader reader(options.checkpoint.state, "the state");
  ByteReader* state = options.checkpoint.state.empty() ? nullptr : &reader;
  if (state) monitor.restore(reader);
  Penalty penalty = make_penalty(topology, params);
  const bool is_plain = params.freeze.empty() && penalty.reg_param == 0.0 &&
                        penalty.clip_value == 0.0 && penalty.clip_norm == 0.0;
  if (is_plain) {
    result.summary = minimize(rescued, params, state, result.weights, callback);
  } else {
    PenalizedObjective penalized(rescued, std::move(penalty));
    result.summary =
        minimize(penalized, params, state, result.weights, callback);
  }
  if (result.summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback &&
      watch.reason() != optim::ConvergenceReason::kNone) {
    result.summary.convergence_reason = watch.reason();
  }
}

}  // namespace detail

/// Trains on all instances at once.
///
/// \param[in,out] result  the start, then what the solver ends with
inline void train_full_batch(const Topology& topology, const Params& params,
                             const datasets::Dataset& data,
                             const TrainingInstances& instances,
                             const FitOptions& options,
                             TrainingMonitor& monitor, TrainedWeights& result) {
  const Vector weights = objective_weights(
      instances.weights(),
      detail::check_partitions(data.partition_sizes, data.num_instances()),
      params.block_size);
  InstanceRange range = instances.range();
  range.weights = weights.data();
  TrainingObjective objective(topology, *options.backend, range,
                              options.num_threads, options.is_stopping,
                              options.precision);
  const StateSaver saver(options.checkpoint, true);
  detail::FullBatchWatch watch(monitor, saver, result.statistics, {});
  detail::solve(objective, topology, params, options, monitor, watch, result);
}

namespace detail {

/// Makes the objective of a rank's own instances: in one piece, or where it must
/// be reproducible and the backend sums over leaves no further, each leaf alone.
///
/// \param range  with the weights of the objective
inline DistributedObjective::Parts make_parts(const Topology& topology,
                                              const RankInstances& part,
                                              const InstanceRange& range,
                                              const FitOptions& options) {
  DistributedObjective::Parts parts;
  const auto add = [&](const InstanceRange& instances,
                       const std::optional<Leaves>& leaves) {
    parts.push_back(std::make_unique<TrainingObjective>(
        topology, *options.backend, instances, options.num_threads,
        options.is_stopping, options.precision, leaves));
  };
  if (range.size == 0) return parts;
  if (!part.leaves() || !shares_gradient(topology, options)) {
    add(range, part.leaves());
    return parts;
  }
  for (Index leaf = 0; leaf < part.leaves()->size(); ++leaf) {
    const Index first = part.leaves()->begin(leaf);
    add(range.slice(first, part.leaves()->begin(leaf + 1) - first,
                    topology.num_features(), topology.num_classes()),
        std::nullopt);
  }
  return parts;
}

}  // namespace detail

/// Trains on all instances of all ranks at once.
///
/// \param[in,out] result  the start, then what the solver ends with
/// \throws CommunicationError where a rank is lost
inline void train_full_batch(const Topology& topology, const Params& params,
                             const RankInstances& part,
                             const FitOptions& options,
                             TrainingMonitor& monitor, TrainedWeights& result) {
  const Vector weights = part.objective_weights();
  InstanceRange range = part.range();
  range.weights = weights.data();
  DistributedObjective objective(
      part.allreduce(), detail::make_parts(topology, part, range, options),
      topology.num_weights(), weights.sum(), part.leaves().has_value(),
      options.is_stopping, options.distribution.timeline);
  const StateSaver saver(options.checkpoint, part.allreduce().rank() == 0);
  detail::FullBatchWatch watch(monitor, saver, result.statistics,
                               [&objective] { objective.request_stop(); });
  detail::solve(objective, topology, params, options, monitor, watch, result);
}

}  // namespace mlp
