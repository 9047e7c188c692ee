// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../../../mlp/backend/backend.hpp"

namespace mlp::testing {

/// Makes the evaluator of a backend that computes one slice at a time.
inline std::unique_ptr<SliceEvaluator> make_slice_evaluator(
    const Backend& backend, const Topology& topology,
    Precision precision = Precision::kFloat64) {
  return std::get<std::unique_ptr<SliceEvaluator>>(
      backend.make_gradient_evaluator(topology, precision));
}

/// Computes the output of a layer.
///
/// \return [topology.output_size(layer) x instances.size]
inline Matrix compute_output(const Backend& backend, const Topology& topology,
                             const Vector& weights,
                             const InstanceRange& instances, Index layer,
                             Precision precision = Precision::kFloat64) {
  Matrix output(topology.output_size(layer), instances.size);
  backend.make_plan(topology, weights.data(), precision)
      ->compute_layer(instances.features, instances.size, layer, output.data());
  return output;
}

}  // namespace mlp::testing
