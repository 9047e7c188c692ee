// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../mlp/backend/precision.hpp"
#include "../../mlp/network/topology.hpp"
#include "../network/device_objective.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "fused_evaluation.hpp"
#include "fused_plan.hpp"

namespace mlp::cuda {

/// The objective of a small network: one kernel evaluates slices of the instances
/// on chip, a second one adds the slices.
///
/// \tparam Number  double or float: the type on chip
template <typename Number>
class FusedObjective final : public DeviceObjective {
 public:
  /// \param plan       of this network, these instances and this Number
  /// \param instances  their data must outlive this object
  /// \param stream     must outlive this object
  /// \throws ResourceError if the sums of the slices do not fit into the memory
  ///         of the device
  FusedObjective(const FusedPlan& plan, const FusedInstances& instances,
                 const Stream& stream)
      : plan_(plan),
        instances_(instances),
        stream_(stream),
        gradients_(plan.num_slices * plan.network.num_weights),
        losses_(plan.num_slices) {}

  [[nodiscard]] bool is_capturable() const override { return true; }

  /// Calls on_layer once, for layer 0.
  void add_evaluation(const double* weights, double* value, double* gradient,
                      const LayerEnqueued& on_layer) override;

 private:
  FusedPlan plan_;
  FusedInstances instances_;
  const Stream& stream_;
  DeviceArray<Number> gradients_;  // [num_weights x num_slices]
  DeviceArray<double> losses_;     // [num_slices]
};

/// Makes the objective of a small network for the current device.
///
/// \param instances  their data must outlive the objective
/// \param stream     must outlive the objective
/// \return null if the network does not fit on chip, if the precision is neither
///         float64 nor float32, or if the evaluation layer by layer is expected
///         to be faster
/// \throws ResourceError as FusedObjective does
[[nodiscard]] std::unique_ptr<DeviceObjective> make_fused_objective(
    const Topology& topology, Precision precision,
    const FusedInstances& instances, const Stream& stream);

}  // namespace mlp::cuda
