// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../core/types.hpp"
#include "../../cuda/network/device_context.hpp"
#include "../../cuda/network/layered_objective.hpp"
#include "../../cuda/runtime/device_array.hpp"
#include "../../cuda/runtime/graph.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "device_clock.hpp"

namespace mlp::bench {

/// One evaluation of the objective on the device, as a graph.
class CapturedEvaluation {
 public:
  /// \throws DeviceError, ResourceError
  CapturedEvaluation(const Topology& topology, Precision precision,
                     const InstanceRange& instances, const Vector& weights);

  /// Runs the evaluation some times in a row, and returns the seconds of one.
  double seconds(int num_runs);

  /// The value of the last evaluation.
  [[nodiscard]] double value() const;

  /// The length of its gradient.
  [[nodiscard]] double gradient_norm() const;

 private:
  [[nodiscard]] const cuda::Stream& stream() const { return context_.stream(); }

  cuda::DeviceContext context_;
  std::unique_ptr<cuda::DeviceObjective> objective_;
  cuda::DeviceArray<double> weights_;   // [num_weights]
  cuda::DeviceArray<double> value_;     // [1]
  cuda::DeviceArray<double> gradient_;  // [num_weights]
  cuda::Graph graph_;
  DeviceClock clock_;
};

}  // namespace mlp::bench
