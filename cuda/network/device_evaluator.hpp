// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The evaluators of mlp/backend on a device. They copy weights and results; the
/// solvers of cuda/solvers do not.

#include <memory>

#include "../../mlp/backend/batch_evaluator.hpp"
#include "../../mlp/backend/gradient_evaluator.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/backend/scoring_plan.hpp"
#include "../../mlp/network/topology.hpp"
#include "device_context.hpp"

namespace mlp::cuda {

/// Makes the evaluator of all instances of bind().
///
/// \param context  must outlive the result
[[nodiscard]] std::unique_ptr<SharedEvaluator> make_device_evaluator(
    const Topology& topology, Precision precision, DeviceContext& context);

/// Makes a forward pass with fixed weights.
///
/// \param context  must outlive the result
/// \param weights  [topology.num_weights()]; may be destroyed afterwards
[[nodiscard]] std::unique_ptr<ScoringPlan> make_device_plan(
    const Topology& topology, const double* weights, Precision precision,
    DeviceContext& context);

/// Makes an evaluator of mini-batches.
///
/// \tparam Number     double for float64, float for the other precisions
/// \param  precision  of the products
/// \param  context    must outlive the result
template <typename Number>
[[nodiscard]] std::unique_ptr<BatchEvaluator<Number>>
make_device_batch_evaluator(const Topology& topology,
                            const FrozenLayers& frozen, Precision precision,
                            DeviceContext& context);

}  // namespace mlp::cuda
