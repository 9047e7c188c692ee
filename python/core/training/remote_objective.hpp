// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "../../../datasets/dataset.hpp"
#include "../../../mlp/backend/backend.hpp"
#include "../data/arrays.hpp"
#include "settings.hpp"

/// Trainings whose instances are elsewhere: the solver runs in this process, and
/// other processes compute the objective at its weights.
namespace mlp::python {

/// A backend whose objective is computed by a Python function. It computes all
/// else as the backend of the processor does.
class RemoteBackend final : public Backend {
 public:
  /// \param objective  objective(weights) returns the objective of all instances
  ///                   and its gradient; must outlive this object
  explicit RemoteBackend(const nb::object& objective);

  [[nodiscard]] const char* name() const override { return inner_.name(); }

  [[nodiscard]] bool shares_gradient(
      const Topology& /*topology*/) const override {
    return true;
  }

  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override;

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return inner_.make_plan(topology, weights, precision);
  }

 private:
  const Backend& inner_;
  const nb::object& objective_;
};

/// Makes one instance, which stands for those that are elsewhere.
///
/// \param target_means  the targets of the instance, so that a regression starts
///                      where their mean is; 0 if empty
/// \throws ParamError for invalid hyper-parameters, and for those that need the
///         instances
[[nodiscard]] datasets::Dataset make_stand_in(
    const Settings& settings, const std::vector<double>& target_means);

/// Computes the objective of instances and its gradient, without a penalty.
///
/// \param weights  [num_weights]
/// \return (objective, gradient [num_weights])
/// \throws ShapeError for another number of weights
[[nodiscard]] nb::tuple evaluate(const Settings& settings,
                                 const Instances& instances,
                                 const Numbers& weights);

}  // namespace mlp::python
