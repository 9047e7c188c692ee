// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/summary.hpp"
#include "../instances/prepared_instances.hpp"
#include "../network/topology.hpp"
#include "../objective/validation_loss.hpp"
#include "../params/params.hpp"
#include "early_stopping.hpp"
#include "fit_options.hpp"

namespace mlp {

/// Watches a training by any solver: calls the caller's callback, and evaluates the
/// validation set if there is one.
class TrainingMonitor {
 public:
  /// \param options  must outlive this object, as the pool must
  /// \throws as PreparedInstances, for the validation set
  TrainingMonitor(const Topology& topology, const Params& params,
                  const FitOptions& options, ThreadPool& pool)
      : options_(options) {
    if (options.validation == nullptr) return;
    instances_.emplace(*options.validation, topology, params, false,
                       options.label_scale ? &*options.label_scale : nullptr);
    loss_.emplace(topology, *options.backend, instances_->range(), pool,
                  options.is_stopping);
    stopping_.emplace(params.patience);
  }

  /// Records the state after an iteration.
  ///
  /// \param statistics  [num_statistics]
  /// \return why the training should stop, or kNone
  /// \throws optim::Interrupted on all ranks if one of them asked to stop during
  ///         the validation. The iteration is then not recorded, and the state
  ///         that save() writes says so.
  [[nodiscard]] optim::ConvergenceReason observe(
      const optim::Iteration& iteration, const Vector& statistics) {
    bool goes_on = true;
    std::optional<double> loss;
    if (stopping_) {
      is_behind_ = true;
      const Vector& x = iteration.x;  // may be copied from a device, with the
                                      // statistics
      loss = validate(x, statistics);
      goes_on = stopping_->record(*loss, x, statistics);
      is_behind_ = false;
    }
    optim::Iteration seen = iteration;
    seen.validation_loss = loss;
    if (options_.on_iteration && !options_.on_iteration(seen)) {
      return optim::ConvergenceReason::kStoppedByCallback;
    }
    return goes_on ? optim::ConvergenceReason::kNone
                   : optim::ConvergenceReason::kValidationStalled;
  }

  /// Replaces the weights by those with the lowest validation loss, if there is
  /// a validation set.
  ///
  /// \param[in,out] summary  of the solver; receives the validation losses
  /// \throws ModelError if a state was restored whose losses are not those of
  ///         its iterations
  void finish(Vector& weights, Vector& statistics,
              optim::Summary& summary) const {
    if (!stopping_) return;
    summary.validation_history = stopping_->history();
    const std::size_t num_losses = summary.validation_history.size();
    const std::size_t num_entries = summary.objective_history.size();
    if (num_losses > num_entries || num_losses + 1 < num_entries) {
      throw ModelError(options_.checkpoint.state_name,
                       "must have a validation loss for each of the " +
                           std::to_string(num_entries) + " iterations; got " +
                           std::to_string(num_losses) +
                           "; resume the run that wrote it");
    }
    stopping_->restore_best(weights, statistics);
  }

  /// Returns true if the restored state is that of an iteration which was not
  /// recorded: a solver that resumes must pass it to observe() again.
  [[nodiscard]] bool is_behind() const { return is_behind_; }

  /// The validation losses so far; null without a validation set.
  [[nodiscard]] const std::vector<double>* losses() const {
    return stopping_ ? &stopping_->history() : nullptr;
  }

  void save(ByteWriter& writer) const {
    if (!stopping_) return;
    writer.write_flag(is_behind_);
    stopping_->save(writer);
  }
  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early or has other sizes
  void restore(ByteReader& reader, Index num_weights, Index num_statistics) {
    if (!stopping_) return;
    is_behind_ = reader.read_flag();
    stopping_->restore(reader, num_weights, num_statistics);
  }

 private:
  /// Computes the validation loss; the same on all ranks.
  double validate(const Vector& weights, const Vector& statistics) {
    distributed::Allreduce* const group = options_.distribution.allreduce;
    if (!group || group->world_size() == 1) {
      return loss_->compute(weights, statistics);
    }
    double loss = 0.0;
    std::array<double, 1> num_stopping{};
    try {
      loss = loss_->compute(weights, statistics);
    } catch (const optim::Interrupted&) {
      num_stopping[0] = 1.0;
    }
    // A rank that stops alone would leave the others waiting for its next sum.
    group->announce("validation", ++num_validations_);
    group->sum(num_stopping);
    if (num_stopping[0] > 0.0) throw optim::Interrupted();
    return loss;
  }

  const FitOptions& options_;
  std::optional<PreparedInstances> instances_;
  std::optional<ValidationLoss> loss_;
  std::optional<EarlyStopping> stopping_;
  bool is_behind_ = false;
  std::int64_t num_validations_ = 0;
};

}  // namespace mlp
