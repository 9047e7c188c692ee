// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "timed_iterations.hpp"

#include <cmath>

#include "../../core/error.hpp"
#include "../../cuda/cuda_backend.hpp"
#include "../../mlp/backend/resident_training.hpp"
#include "../worker/clocks.hpp"

namespace mlp::bench {

TimedIterations::TimedIterations(const Topology& topology, Precision precision,
                                 const InstanceRange& instances,
                                 const Vector& weights)
    : start_(weights) {
  Penalty penalty;
  penalty.ranges = {{0, topology.num_weights(), false}};
  const FrozenLayers frozen(static_cast<std::size_t>(topology.num_layers()));
  ResidentObjective objective{topology, instances, 0, frozen, penalty};
  objective.precision = precision;
  vectors_ = cuda::backend().resident_training()->make_lbfgs_vectors(
      objective, kHistorySize);
  vectors_->start(start_);
  vectors_->evaluate();
  fill_history();
}

void TimedIterations::fill_history() {
  for (Index i = 0; i < 2 * kHistorySize; ++i) iterate();
}

bool TimedIterations::iterate() {
  const bool is_first = is_first_;
  is_first_ = false;
  if (vectors_->choose_direction(is_first)) {
    const double step = is_first ? 1.0 / vectors_->direction_norm() : 1.0;
    if (std::isfinite(vectors_->trial(step).value)) {
      vectors_->accept();
      return true;
    }
  }
  vectors_->clear_history();
  vectors_->start(start_);
  vectors_->evaluate();
  is_first_ = true;
  return false;
}

double TimedIterations::seconds() {
  constexpr int kMaxTries = 10;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const double start = read_clock(CLOCK_MONOTONIC);
    const bool has_moved = iterate();
    if (has_moved) return read_clock(CLOCK_MONOTONIC) - start;
    fill_history();
  }
  throw DeviceError("L-BFGS found no direction");
}

}  // namespace mlp::bench
