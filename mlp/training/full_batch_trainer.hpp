// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
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
#include "../params/param_table.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "rank_instances.hpp"
#include "resident_objective.hpp"
#include "training_monitor.hpp"

namespace mlp {

namespace detail {

/// How a full-batch solver runs.
struct SolverRun {
  const Params& params;
  ByteReader* state = nullptr;  ///< to resume from; null starts a new training
  optim::IterationCallback callback = {};
  optim::FailureCallback on_failure = {};

  /// When it resumes, calls the callback again for the iteration that was saved.
  bool repeats_callback = false;

  bool continues = false;  ///< LbfgsOptions::continues
};

/// Runs a solver, from its start or from a state.
template <typename Solver>
optim::Summary run_solver(Solver&& solver, const SolverRun& run,
                          Vector& weights) {
  return run.state ? solver.resume(*run.state, weights, run.repeats_callback)
                   : solver.minimize(weights);
}

template <std::derived_from<optim::LbfgsVectors> Vectors>
optim::Summary minimize(Vectors& vectors, const SolverRun& run,
                        Vector& weights) {
  optim::LbfgsOptions options;
  options.max_iter = run.params.max_iter;
  options.tol = run.params.tol;
  options.gradient_tol = run.params.gradient_tol;
  options.history_size = run.params.history_size;
  options.continues = run.continues;
  return run_solver(
      optim::Lbfgs(vectors, options, run.callback, run.on_failure), run,
      weights);
}

template <std::derived_from<optim::GradientDescentVectors> Vectors>
optim::Summary minimize(Vectors& vectors, const SolverRun& run,
                        Vector& weights) {
  const optim::GradientDescentOptions options{
      run.params.max_iter, run.params.tol, resolved_step_size(run.params)};
  return run_solver(
      optim::GradientDescent(vectors, options, run.callback, run.on_failure),
      run, weights);
}

/// Runs a full-batch solver whose vectors are the host's.
template <optim::Objective F>
optim::Summary minimize_on_host(F& objective, const SolverRun& run,
                                Vector& weights) {
  if (run.params.solver == Solver::kGradientDescent) {
    optim::HostGradientDescentVectors<F> vectors(objective);
    return minimize(vectors, run, weights);
  }
  optim::HostLbfgsVectors<F> vectors(objective, run.params.history_size);
  return minimize(vectors, run, weights);
}

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

/// Runs a full-batch solver under a watch.
///
/// \param run_solver  called with the SolverRun
template <typename RunSolver>
optim::Summary solve(const Topology& topology, const Params& params,
                     const FitOptions& options, TrainingMonitor& monitor,
                     FullBatchWatch& watch, const RunSolver& run_solver) {
  SolverRun run{params};
  run.callback = [&watch](const optim::Iteration& iteration) {
    return watch.observe(iteration);
  };
  run.on_failure = [&watch] { watch.rescue(); };
  run.continues = !(topology.is_spark() && has_spark_params(params));
  ByteReader reader(options.checkpoint.state, options.checkpoint.state_name);
  if (!options.checkpoint.state.empty()) {
    run.state = &reader;
    monitor.restore(reader, topology.num_weights(), topology.num_statistics());
  }
  run.repeats_callback = monitor.is_behind();
  optim::Summary summary = run_solver(run);
  if (summary.convergence_reason ==
          optim::ConvergenceReason::kStoppedByCallback &&
      watch.reason() != optim::ConvergenceReason::kNone) {
    summary.convergence_reason = watch.reason();
  }
  return summary;
}

/// Runs a full-batch solver on the host, with the penalty and the frozen layers
/// of params.
inline optim::Summary minimize_penalized(DistributedObjective& objective,
                                         Penalty penalty, const SolverRun& run,
                                         Vector& weights) {
  const bool is_plain = run.params.freeze.empty() && !run.params.one_output &&
                        penalty.reg_param == 0.0 && penalty.clip_value == 0.0 &&
                        penalty.clip_norm == 0.0;
  if (is_plain) return minimize_on_host(objective, run, weights);
  PenalizedObjective penalized(objective, std::move(penalty));
  return minimize_on_host(penalized, run, weights);
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

/// Trains with vectors in the backend's memory; nothing if it keeps none.
///
/// \param[in,out] weights  [num_weights]
inline std::optional<optim::Summary> train_resident(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances, TrainingMonitor& monitor,
    const StateSaver& saver, Vector& weights, const Vector& statistics) {
  if (!can_be_resident(instances, options)) return std::nullopt;
  const Vector instance_weights = instances.objective_weights();
  std::atomic<bool> is_stop_requested{false};
  ResidentObjective objective = make_resident_objective(
      topology, params, options, instances, is_stop_requested);
  objective.instances.weights = instance_weights.data();
  const auto run_on = [&](auto vectors) -> std::optional<optim::Summary> {
    if (!vectors) return std::nullopt;
    std::function<void()> request_stop;
    if (instances.has_other_ranks()) {
      request_stop = [&is_stop_requested] { is_stop_requested = true; };
    }
    FullBatchWatch watch(monitor, saver, statistics, std::move(request_stop));
    return solve(
        topology, params, options, monitor, watch,
        [&](const SolverRun& run) { return minimize(*vectors, run, weights); });
  };
  if (params.solver == Solver::kGradientDescent) {
    return run_on(options.backend->make_gradient_descent_vectors(objective));
  }
  return run_on(
      options.backend->make_lbfgs_vectors(objective, params.history_size));
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
  if (auto summary =
          detail::train_resident(topology, params, options, instances, monitor,
                                 saver, weights, statistics)) {
    return *std::move(summary);
  }
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
  return detail::solve(topology, params, options, monitor, watch,
                       [&](const detail::SolverRun& run) {
                         return detail::minimize_penalized(
                             objective, make_penalty(topology, params), run,
                             weights);
                       });
}

}  // namespace mlp
