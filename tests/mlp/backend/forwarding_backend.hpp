// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "../../../mlp/backend/reference_backend.hpp"

namespace mlp::testing {

/// The reference backend, for tests that replace a part of it.
class ForwardingBackend : public Backend {
 public:
  [[nodiscard]] const char* name() const override {
    return reference_backend().name();
  }
  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override {
    return reference_backend().make_gradient_evaluator(topology, precision);
  }
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return reference_backend().make_plan(topology, weights, precision);
  }
  [[nodiscard]] std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<double> number) const override {
    return reference_backend().make_batch_evaluator(topology, frozen, number);
  }
  [[nodiscard]] std::unique_ptr<BatchEvaluator<float>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<float> number) const override {
    return reference_backend().make_batch_evaluator(topology, frozen, number);
  }
};

}  // namespace mlp::testing
