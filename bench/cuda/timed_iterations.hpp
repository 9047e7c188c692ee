// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../core/types.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../../optim/lbfgs/lbfgs_vectors.hpp"

namespace mlp::bench {

/// Iterations of L-BFGS on the device, each with one evaluation: no step is
/// searched, so that an iteration can be compared with an evaluation.
class TimedIterations {
 public:
  static constexpr Index kHistorySize = 10;

  /// Runs iterations until the history is full.
  ///
  /// \throws DeviceError, ResourceError
  TimedIterations(const Topology& topology, Precision precision,
                  const InstanceRange& instances, const Vector& weights);

  /// Runs an iteration, and returns its seconds by the clock of the host.
  double seconds();

 private:
  /// \return false if there was no direction or the step led too far; x is then
  ///         where it was at first
  bool iterate();
  void fill_history();

  Vector start_;
  std::unique_ptr<optim::LbfgsVectors> vectors_;
  bool is_first_ = true;
};

}  // namespace mlp::bench
