// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "../../distributed/device_allreduce.hpp"
#include "../backend/resident_training.hpp"
#include "../exchange/distribution.hpp"
#include "../network/topology.hpp"
#include "../objective/penalized_objective.hpp"
#include "../objective/weight_ranges.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "rank_instances.hpp"

namespace mlp {

/// Returns true if a training may stay in the memory of a backend: this rank is
/// alone, or its group sums numbers there, and the sums need not be exact. Nobody
/// records there when a rank computes and sends, so a timeline keeps the training
/// on the host.
[[nodiscard]] inline bool can_be_resident(const RankInstances& instances,
                                          const FitOptions& options) {
  if (instances.summation() == Summation::kExact) return false;
  if (options.distribution.timeline != nullptr) return false;
  return !instances.has_other_ranks() ||
         instances.allreduce().on_device() != nullptr;
}

/// Makes what a resident training minimises, with the instances' own weights.
///
/// \param is_stop_requested  another reason to stop; must outlive the training
/// \pre can_be_resident(instances, options)
[[nodiscard]] inline ResidentObjective make_resident_objective(
    const Topology& topology, const Params& params, const FitOptions& options,
    const RankInstances& instances,
    const std::atomic<bool>& is_stop_requested) {
  ResidentObjective objective{
      topology, instances.range(), instances.share().first,
      frozen_layers(topology, params), make_penalty(topology, params)};
  objective.precision = options.precision;
  objective.is_stopping = [&is_stop_requested, stop = options.is_stopping] {
    return is_stop_requested || (stop && *stop);
  };
  if (instances.has_other_ranks()) {
    objective.allreduce = instances.allreduce().on_device();
  }
  return objective;
}

}  // namespace mlp
