// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../optim/gradient_descent/gradient_descent.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/lbfgs/lbfgs.hpp"
#include "../../optim/summary.hpp"
#include "../checkpoint/state_saver.hpp"
#include "../instances/instance_range.hpp"
#include "../instances/slices.hpp"
#include "../network/topology.hpp"
#include "../objective/distributed_objective.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/training_objective.hpp"
#include "../params/param_table.hpp"
#include "../params/params.hpp"
#include "resident_objective.hpp"
#include "training_run.hpp"

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

  /// LbfgsOptions::max_evaluations
  Index max_evaluations = std::numeric_limits<Index>::max();
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
  options.max_evaluations = run.max_evaluations;
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
  /// \param statistics  [num_statistics]; must outlive this object
  FullBatchWatch(const TrainingRun& run, const Vector& statistics)
      : monitor_(run.monitor),
        saver_(run.options.checkpoint, run.instances.allreduce().rank() == 0),
        statistics_(statistics),
        stop_(run.instances.has_other_ranks() ? &run.stop : nullptr) {}

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
    if (reason_ != optim::ConvergenceReason::kStoppedByCallback || !stop_) {
      return false;
    }
    stop_->request();
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
  StateSaver saver_;
  const Vector& statistics_;
  optim::StopRequest* stop_;  // of all ranks; null if there are no others
  const optim::Resumable* solver_ = nullptr;
  optim::ConvergenceReason reason_ = optim::ConvergenceReason::kNone;
};

/// Runs a full-batch solver under a watch.
///
/// \param statistics  [num_statistics]
/// \param run_solver  called with the SolverRun
template <typename RunSolver>
optim::Summary solve(const TrainingRun& run, const Vector& statistics,
                     const RunSolver& run_solver) {
  FullBatchWatch watch(run, statistics);
  SolverRun solver{run.params};
  solver.callback = [&watch](const optim::Iteration& iteration) {
    return watch.observe(iteration);
  };
  solver.on_failure = [&watch] { watch.rescue(); };
  solver.max_evaluations = run.options.max_evaluations;
  solver.continues = !(run.topology.is_spark() && has_spark_params(run.params));
  const CheckpointOptions& checkpoint = run.options.checkpoint;
  ByteReader reader(checkpoint.state, checkpoint.state_name);
  if (!checkpoint.state.empty()) {
    solver.state = &reader;
    run.monitor.restore(reader, run.topology.num_weights(),
                        run.topology.num_statistics());
  }
  solver.repeats_callback = run.monitor.is_behind();
  optim::Summary summary = run_solver(solver);
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

/// Makes the objective of this rank's instances: one, or if it must be reproducible
/// and the backend shares one gradient, one for each slice.
///
/// \param range  with the weights of the objective
inline DistributedObjective::Parts make_parts(const TrainingRun& run,
                                              const InstanceRange& range) {
  DistributedObjective::Parts parts;
  const auto add = [&](const InstanceRange& part,
                       const std::optional<Slices>& slices) {
    parts.push_back(std::make_unique<TrainingObjective>(run.topology, part,
                                                        run.options, slices));
  };
  if (range.size == 0) return parts;
  const std::optional<Slices>& slices = run.instances.slices();
  if (!slices || !run.options.backend->shares_gradient(run.topology)) {
    add(range, slices);
    return parts;
  }
  for (Index slice = 0; slice < slices->size(); ++slice) {
    const Index first = slices->begin(slice);
    add(range.slice(first, slices->begin(slice + 1) - first,
                    run.topology.num_features(), run.topology.num_classes()),
        std::nullopt);
  }
  return parts;
}

/// Trains with vectors in the backend's memory.
///
/// \param         range    with the weights of the objective
/// \param[in,out] weights  [num_weights]
inline optim::Summary train_resident(const TrainingRun& run,
                                     const ResidentTraining& resident,
                                     const InstanceRange& range,
                                     Vector& weights,
                                     const Vector& statistics) {
  ResidentObjective objective = make_resident_objective(run);
  objective.instances = range;
  const auto train_with = [&](auto& vectors) {
    return solve(run, statistics, [&](const SolverRun& solver) {
      return minimize(vectors, solver, weights);
    });
  };
  if (run.params.solver == Solver::kGradientDescent) {
    return train_with(*resident.make_gradient_descent_vectors(objective));
  }
  return train_with(
      *resident.make_lbfgs_vectors(objective, run.params.history_size));
}

}  // namespace detail

/// Trains on all instances of all ranks at once.
///
/// \param[in,out] weights     the start, then the result of the solver
///                            [num_weights]
/// \param         statistics  [num_statistics]
/// \throws CommunicationError if a rank is lost
inline optim::Summary train_full_batch(const TrainingRun& run, Vector& weights,
                                       const Vector& statistics) {
  const Vector instance_weights = run.instances.objective_weights();
  InstanceRange range = run.instances.range();
  range.weights = instance_weights.data();
  if (const auto* const resident = resident_training(run)) {
    return detail::train_resident(run, *resident, range, weights, statistics);
  }
  DistributedObjective objective(
      run.options.distribution, detail::make_parts(run, range),
      run.topology.num_weights(), instance_weights.sum(), run.stop);
  return detail::solve(run, statistics, [&](const detail::SolverRun& solver) {
    return detail::minimize_penalized(
        objective, make_penalty(run.topology, run.params), solver, weights);
  });
}

}  // namespace mlp
