// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../optim/gradient_descent.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/lbfgs.hpp"
#include "../../optim/summary.hpp"
#include "../checkpoint/state_saver.hpp"
#include "../instances/instance_range.hpp"
#include "../instances/leaves.hpp"
#include "../network/topology.hpp"
#include "../objective/distributed_objective.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/training_objective.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "rank_instances.hpp"
#include "training_monitor.hpp"

namespace mlp {

namespace detail {

/// Runs a full-batch solver.
///
/// \param state             to resume from; null starts a new training
/// \param repeats_callback  when it resumes, calls the callback again for the
///                          iteration that was saved
template <optim::Objective F>
optim::Summary minimize(F& objective, const Params& params, ByteReader* state,
                        Vector& weights,
                        const optim::IterationCallback& callback,
                        bool repeats_callback) {
  if (params.solver == Solver::kGradientDescent) {
    const optim::GradientDescentOptions options{params.max_iter, params.tol,
                                                resolved_step_size(params)};
    return state ? optim::resume_gradient_descent(objective, *state, weights,
                                                  options, callback,
                                                  repeats_callback)
                 : optim::minimize_gradient_descent(objective, weights, options,
                                                    callback);
  }
  optim::LbfgsOptions options;
  options.max_iter = params.max_iter;
  options.tol = params.tol;
  options.history_size = params.history_size;
  return state ? optim::resume_lbfgs(objective, *state, weights, options,
                                     callback, repeats_callback)
               : optim::minimize_lbfgs(objective, weights, options, callback);
}

/// An objective that saves the state of the training before it throws.
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

/// Watches a full-batch solver: passes its iterations to the monitor and saves its
/// state.
class FullBatchWatch {
 public:
  /// \param request_stop  makes the next evaluation throw on all ranks; empty if
  ///                      there are no others
  FullBatchWatch(TrainingMonitor& monitor, const StateSaver& saver,
                 const Vector& statistics, std::function<void()> request_stop)
      : monitor_(monitor),
        saver_(saver),
        statistics_(statistics),
        request_stop_(std::move(request_stop)) {}

  /// Passes an iteration on; false if the solver should stop.
  ///
  /// \throws optim::Interrupted as TrainingMonitor::observe()
  bool observe(const optim::Iteration& iteration) {
    solver_ = iteration.solver;
    try {
      reason_ = monitor_.observe(iteration, statistics_);
    } catch (const optim::Interrupted&) {
      rescue();
      throw;
    }
    // A training that has ended cannot be resumed.
    if (reason_ != optim::ConvergenceReason::kValidationStalled) {
      saver_.save_if_due(iteration.iteration, false,
                         [this](ByteWriter& writer) { write(writer); });
    }
    if (reason_ == optim::ConvergenceReason::kNone) return true;
    // The other ranks cannot know what this rank's caller wants.
    if (reason_ != optim::ConvergenceReason::kStoppedByCallback ||
        !request_stop_) {
      return false;
    }
    request_stop_();
    return true;
  }

  /// Saves the state of the last iteration, after an evaluation that failed.
  ///
  /// \pre called from a catch block
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

/// Runs a full-batch solver with the penalty and the frozen layers of params.
inline optim::Summary solve(DistributedObjective& objective,
                            const Topology& topology, const Params& params,
                            const FitOptions& options, TrainingMonitor& monitor,
                            FullBatchWatch& watch, Vector& weights) {
  RescuedObjective rescued(objective, [&watch] { watch.rescue(); });
  const optim::IterationCallback callback =
      [&watch](const optim::Iteration& iteration) {
        return watch.observe(iteration);
      };
  ByteReader reader(options.checkpoint.state, options.checkpoint.state_name);
  ByteReader* state = options.checkpoint.state.empty() ? nullptr : &reader;
  if (state) {
    monitor.restore(reader, topology.num_weights(), topology.num_statistics());
  }
  Penalty penalty = make_penalty(topology, params);
  const bool is_plain = params.freeze.empty() && penalty.reg_param == 0.0 &&
                        penalty.clip_value == 0.0 && penalty.clip_norm == 0.0;
  optim::Summary summary;
  if (is_plain) {
    summary = minimize(rescued, params, state, weights, callback,
                       monitor.is_behind());
  } else {
    PenalizedObjective penalized(rescued, std::move(penalty));
    summary = minimize(penalized, params, state, weights, callback,
                       monitor.is_behind());
  }
  if (summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback &&
      watch.reason() != optim::ConvergenceReason::kNone) {
    summary.convergence_reason = watch.reason();
  }
  return summary;
}

/// Makes the objective of this rank's instances: in one piece, or if it must be
/// reproducible and the backend shares one gradient, leaf by leaf.
///
/// \param range  with the weights of the objective
inline DistributedObjective::Parts make_parts(const Topology& topology,
                                              const RankInstances& instances,
                                              const InstanceRange& range,
                                              const FitOptions& options) {
  DistributedObjective::Parts parts;
  const auto add = [&](const InstanceRange& part,
                       const std::optional<Leaves>& leaves) {
    parts.push_back(std::make_unique<TrainingObjective>(
        topology, *options.backend, part, options.num_threads,
        options.is_stopping, options.precision, leaves));
  };
  if (range.size == 0) return parts;
  const std::optional<Leaves>& leaves = instances.leaves();
  if (!leaves || !shares_gradient(topology, options)) {
    add(range, leaves);
    return parts;
  }
  for (Index leaf = 0; leaf < leaves->size(); ++leaf) {
    const Index first = leaves->begin(leaf);
    add(range.slice(first, leaves->begin(leaf + 1) - first,
                    topology.num_features(), topology.num_classes()),
        std::nullopt);
  }
  return parts;
}

}  // namespace detail

/// Trains on all instances of all ranks at once.
///
/// \param[in,out] weights     the start, then what the solver ends with
///                            [num_weights]
/// \param         statistics  [num_statistics]
/// \throws CommunicationError if a rank is lost
inline optim::Summary train_full_batch(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, TrainingMonitor& monitor,
    const StateSaver& saver, Vector& weights, const Vector& statistics) {
  const Vector instance_weights = instances.objective_weights();
  InstanceRange range = instances.range();
  range.weights = instance_weights.data();
  DistributedObjective objective(
      instances.allreduce(),
      detail::make_parts(topology, instances, range, options),
      topology.num_weights(), instance_weights.sum(), instances.summation(),
      options.is_stopping, options.distribution.timeline);
  std::function<void()> request_stop;
  if (instances.has_other_ranks()) {
    request_stop = [&objective] { objective.request_stop(); };
  }
  detail::FullBatchWatch watch(monitor, saver, statistics,
                               std::move(request_stop));
  return detail::solve(objective, topology, params, options, monitor, watch,
                       weights);
}

}  // namespace mlp
