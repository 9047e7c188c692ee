// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../distributed/device_allreduce.hpp"
#include "../backend/resident_training.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/weight_ranges.hpp"
#include "training_run.hpp"

namespace mlp {

/// Returns what trains in the memory of the backend, or null.
///
/// A training may stay there if this rank is alone, or its group sums numbers there,
/// and the sums need not be exact. Nobody records there when a rank computes and
/// sends, so a timeline keeps the training on the host.
[[nodiscard]] inline const ResidentTraining* resident_training(
    const TrainingRun& run) {
  const RankInstances& instances = run.instances;
  if (instances.summation() == Summation::kExact ||
      run.options.distribution.timeline != nullptr) {
    return nullptr;
  }
  if (instances.has_other_ranks() &&
      instances.allreduce().on_device() == nullptr) {
    return nullptr;
  }
  return run.options.backend->resident_training();
}

/// Makes what a resident training minimises, with the instances' own weights.
///
/// \pre resident_training(run)
[[nodiscard]] inline ResidentObjective make_resident_objective(
    const TrainingRun& run) {
  ResidentObjective objective{run.topology, run.instances.range(),
                              run.instances.partition().first,
                              frozen_layers(run.topology, run.params),
                              make_penalty(run.topology, run.params)};
  objective.precision = run.options.precision;
  objective.is_stopping = [&stop = run.stop] { return stop.is_requested(); };
  if (run.instances.has_other_ranks()) {
    objective.allreduce = run.instances.allreduce().on_device();
  }
  return objective;
}

}  // namespace mlp
