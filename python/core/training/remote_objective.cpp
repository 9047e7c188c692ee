// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "remote_objective.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/identity.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/rank_instances.hpp"
#include "../backends.hpp"

namespace mlp::python {

namespace {

/// An evaluator of one network.
class RemoteEvaluator final : public SharedEvaluator {
 public:
  RemoteEvaluator(const nb::object& objective, Index num_weights)
      : objective_(objective), num_weights_(num_weights) {}

  void bind(const InstanceRange& /*instances*/) override {}

  double compute_gradient(const double* weights, double* gradient,
                          ThreadPool& /*pool*/,
                          const std::function<void()>& poll) override {
    poll();
    const nb::gil_scoped_acquire acquire;
    const nb::tuple answer = nb::cast<nb::tuple>(objective_(
        to_array(Vector(Eigen::Map<const Vector>(weights, num_weights_)))));
    const auto numbers = nb::cast<Numbers>(answer[1]);
    if (static_cast<Index>(numbers.shape(0)) != num_weights_) {
      throw ShapeError("the gradient must have " +
                       std::to_string(num_weights_) + " numbers; got " +
                       std::to_string(numbers.shape(0)));
    }
    std::copy_n(numbers.data(), num_weights_, gradient);
    return nb::cast<double>(answer[0]);
  }

 private:
  const nb::object& objective_;
  Index num_weights_;
};

}  // namespace

RemoteBackend::RemoteBackend(const nb::object& objective)
    : inner_(scoring_backend()), objective_(objective) {}

GradientEvaluator RemoteBackend::make_gradient_evaluator(
    const Topology& topology, Precision /*precision*/) const {
  return std::make_unique<RemoteEvaluator>(objective_, topology.num_weights());
}

namespace {

/// Refuses an encoding, which would be learned of instances that are elsewhere.
void refuse_encoding(const Params& params) {
  if (!params.numeric_encoding.is_quantile()) return;
  throw ParamError("numericEncoding",
                   "must be linear where the instances are elsewhere; got " +
                       format_numeric_encoding(params.numeric_encoding));
}

}  // namespace

datasets::Dataset make_stand_in(const Settings& settings,
                                const std::vector<double>& target_means) {
  const Params& params = settings.params;
  validate(params);
  refuse_encoding(params);
  if (has_mini_batches(params.solver)) {
    throw ParamError("solver",
                     "must be l-bfgs or gd where the instances are elsewhere");
  }
  if (settings.is_standardizing) {
    throw ParamError("standardize",
                     "must be off where the instances are elsewhere");
  }
  const Topology topology = topology_of(params);
  if (topology.num_statistics() > 0) {
    throw ParamError("batchNorm",
                     "must be off where the instances are elsewhere");
  }
  datasets::Dataset data;
  data.features = Matrix::Zero(topology.num_features(), 1);
  if (params.task == Task::kRegression) {
    data.targets = Matrix::Zero(topology.num_classes(), 1);
    if (!target_means.empty()) {
      const auto size = static_cast<Index>(target_means.size());
      data.targets = Eigen::Map<const Vector>(target_means.data(), size);
    }
  } else {
    data.labels = Vector::Zero(1);
  }
  return data;
}

nb::tuple evaluate(const Settings& settings, const Instances& instances,
                   const Numbers& weights) {
  validate(settings.params);
  refuse_encoding(settings.params);
  const Topology topology = topology_of(settings.params);
  const auto num_weights = static_cast<Index>(weights.shape(0));
  if (num_weights != topology.num_weights()) {
    throw ShapeError("weights must have " +
                     std::to_string(topology.num_weights()) + " numbers; got " +
                     std::to_string(num_weights));
  }
  datasets::Dataset data;
  take(instances, data);
  FitOptions options = options_of(settings);
  distributed::Identity alone;
  options.distribution.allreduce = &alone;
  options.distribution.partition_sizes = settings.partition_sizes;
  Vector gradient(num_weights);
  double value = 0.0;
  {
    const nb::gil_scoped_release release;
    TrainingInstances viewed = TrainingInstances::view(data);
    const RankInstances own(viewed, topology, settings.params, options);
    const Vector of_instances = own.objective_weights();
    InstanceRange range = own.range();
    range.weights = of_instances.data();
    TrainingObjective objective(topology, range, options);
    value = objective.value_and_gradient(weights.data(), gradient.data());
  }
  return nb::make_tuple(value, to_array(std::move(gradient)));
}

}  // namespace mlp::python
