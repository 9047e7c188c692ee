// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../mlp/backend/precision.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../network/device_context.hpp"
#include "../network/device_objective.hpp"

namespace mlp::cuda {

/// Copies instances to the device and makes the objective that evaluates them in
/// one kernel.
///
/// \param context  must outlive the result
/// \return null if make_fused_objective() refuses the network, or if the features
///         do not fit on the device
/// \throws ResourceError if the device has too little memory
[[nodiscard]] std::unique_ptr<DeviceObjective> make_uploaded_objective(
    const Topology& topology, Precision precision,
    const InstanceRange& instances, DeviceContext& context);

}  // namespace mlp::cuda
