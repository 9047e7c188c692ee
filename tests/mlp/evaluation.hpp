// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>

#include "../../mlp/objective/training_objective.hpp"
#include "backend/slice_evaluators.hpp"

namespace mlp::testing {

/// An objective and its gradient.
struct Evaluation {
  double value = 0.0;
  Vector gradient;

  friend bool operator==(const Evaluation& a, const Evaluation& b) {
    return a.value == b.value && a.gradient == b.gradient;
  }
};

/// Compares an evaluation with another one, relative to the latter.
inline bool is_close(const Evaluation& received, const Evaluation& expected,
                     double tolerance) {
  return std::abs(received.value - expected.value) <=
             tolerance * std::abs(expected.value) &&
         (received.gradient - expected.gradient).norm() <=
             tolerance * expected.gradient.norm();
}

/// Evaluates the objective of all instances. What the gradient had before is
/// overwritten.
inline Evaluation evaluate_all(const Topology& topology,
                               const InstanceRange& instances,
                               const Vector& weights,
                               const Execution& execution = {}) {
  TrainingObjective objective(topology, instances, execution);
  Evaluation result{0.0, Vector::Constant(topology.num_weights(), 1e300)};
  result.value = objective.value_and_gradient(weights, result.gradient);
  return result;
}

/// Evaluates one slice and adds its gradient to another one.
inline Evaluation evaluate_slice(const Backend& backend,
                                 const Topology& topology, Precision precision,
                                 const InstanceRange& slice,
                                 const Vector& weights, Vector gradient) {
  const auto evaluator = make_slice_evaluator(backend, topology, precision);
  evaluator->bind(slice);
  evaluator->set_weights(weights.data());
  const auto workspace = evaluator->make_workspace();
  const double value =
      evaluator->compute_gradient(slice, gradient.data(), *workspace);
  return {value, std::move(gradient)};
}

}  // namespace mlp::testing
