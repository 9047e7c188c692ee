// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../../core/byte_stream.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../../optim/iteration_callback.hpp"
#include "../instances/training_instances.hpp"
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
  /// \throws as TrainingInstances, for the validation set
  TrainingMonitor(const Topology& topology, const Params& params,
                  const FitOptions& options, ThreadPool& pool)
      : options_(options) {
    if (options.validation == nullptr) return;
    instances_.emplace(*options.validation, topology, params);
    loss_.emplace(topology, *options.backend, instances_->range(), pool);
    stopping_.emplace(params.patience);
  }

  /// Records the state after an iteration.
  ///
  /// \param statistics  [num_statistics]
  /// \return why the training should stop, or kNone
  [[nodiscard]] optim::ConvergenceReason observe(
      const optim::Iteration& iteration, const Vector& statistics) {
    bool goes_on = true;
    if (stopping_) {
      goes_on = stopping_->record(loss_->compute(iteration.x, statistics),
                                  iteration.x, statistics);
    }
    if (options_.on_iteration && !options_.on_iteration(iteration)) {
      return optim::ConvergenceReason::kStoppedByCallback;
    }
    return goes_on ? optim::ConvergenceReason::kNone
                   : optim::ConvergenceReason::kValidationStalled;
  }

  /// Replaces the weights by those with the lowest validation loss, if there is
  /// a validation set.
  void finish(Vector& weights, Vector& statistics) const {
    if (stopping_) stopping_->restore_best(weights, statistics);
  }

  void save(ByteWriter& writer) const {
    if (stopping_) stopping_->save(writer);
  }
  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early or has other sizes
  void restore(ByteReader& reader, Index num_weights, Index num_statistics) {
    if (stopping_) stopping_->restore(reader, num_weights, num_statistics);
  }

 private:
  const FitOptions& options_;
  std::optional<TrainingInstances> instances_;
  std::optional<ValidationLoss> loss_;
  std::optional<EarlyStopping> stopping_;
};

}  // namespace mlp
