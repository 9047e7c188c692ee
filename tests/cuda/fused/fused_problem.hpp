// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random networks with their data, evaluated on chip and by the reference.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../cuda/fused/fused_evaluation.hpp"
#include "../../../cuda/fused/fused_plan.hpp"
#include "../../../cuda/fused/sum_slices.hpp"
#include "../../../cuda/runtime/device_array.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/topology.hpp"

namespace mlp::testing {

/// The norm-wise error of gradients on chip that rounding explains: sums of a few
/// hundred products in 53 and in 24 bits.
template <typename Number>
inline constexpr double kFusedTolerance = sizeof(Number) == 8 ? 1e-12 : 1e-5;

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct FusedProblem {
  Topology topology;
  Matrix features;                   // [num_features x size]
  std::vector<std::int32_t> labels;  // [size]
  Matrix targets;                    // [num_classes x size]
  Vector instance_weights;           // [size]
  Vector weights;                    // [num_weights]
};

struct FusedResult {
  double value = 0.0;
  Vector gradient;

  friend bool operator==(const FusedResult& a, const FusedResult& b) {
    return a.value == b.value && a.gradient == b.gradient;
  }
};

/// Returns random data for a network; every fifth instance has weight 0.
inline FusedProblem make_fused_problem(Topology topology, Index size,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  const auto draw = [&] { return real(random); };
  const Index features = topology.num_features();
  const Index classes = topology.num_classes();
  FusedProblem problem{
      std::move(topology), Matrix(features, size), {}, {}, Vector(size), {}};
  problem.features = problem.features.NullaryExpr(features, size, draw);
  problem.targets = Matrix::NullaryExpr(classes, size, draw);
  problem.weights = Vector::NullaryExpr(problem.topology.num_weights(), draw);
  for (Index i = 0; i < size; ++i) {
    problem.labels.push_back(static_cast<std::int32_t>(
        random() % static_cast<std::uint64_t>(classes)));
    problem.instance_weights[i] = i % 5 == 3 ? 0.0 : 1.5 + draw();
  }
  return problem;
}

/// Returns the sums over all instances by the reference backend.
inline FusedResult evaluate_by_reference(const FusedProblem& problem) {
  InstanceRange instances;
  instances.size = problem.features.cols();
  instances.features = problem.features.data();
  instances.weights = problem.instance_weights.data();
  instances.labels = problem.labels.data();
  instances.targets = problem.targets.data();
  const auto evaluator = reference_backend().make_evaluator(problem.topology);
  evaluator->bind(instances);
  evaluator->set_weights(problem.weights.data());
  const auto workspace = evaluator->make_workspace();
  FusedResult result;
  result.gradient = Vector::Zero(problem.weights.size());
  result.value = evaluator->compute_gradient(instances, result.gradient.data(),
                                             *workspace);
  return result;
}

/// The problem's data in the memory of the device.
template <typename Feature>
class FusedData {
 public:
  FusedData(const FusedProblem& problem, const cuda::Stream& stream)
      : features_(problem.features.size()),
        labels_(problem.features.cols()),
        targets_(problem.targets.size()),
        instance_weights_(problem.features.cols()),
        weights_(problem.weights.size()) {
    std::vector<Feature> features;
    for (const double feature : problem.features.reshaped()) {
      features.push_back(static_cast<Feature>(feature));
    }
    features_.upload(features, stream);
    labels_.upload(problem.labels, stream);
    targets_.upload({problem.targets.data(), at(problem.targets.size())},
                    stream);
    instance_weights_.upload(
        {problem.instance_weights.data(), at(problem.instance_weights.size())},
        stream);
    weights_.upload({problem.weights.data(), at(problem.weights.size())},
                    stream);
  }

  [[nodiscard]] cuda::FusedInstances instances() const {
    using enum cuda::FeatureType;
    cuda::FusedInstances instances;
    instances.size = labels_.size();
    instances.features = features_.data();
    instances.type = sizeof(Feature) == 8   ? kFloat64
                     : sizeof(Feature) == 4 ? kFloat32
                                            : kByte;
    instances.labels = labels_.data();
    instances.targets = targets_.data();
    instances.weights = instance_weights_.data();
    return instances;
  }
  [[nodiscard]] const double* weights() const { return weights_.data(); }

 private:
  cuda::DeviceArray<Feature> features_;
  cuda::DeviceArray<std::int32_t> labels_;
  cuda::DeviceArray<double> targets_;
  cuda::DeviceArray<double> instance_weights_;
  cuda::DeviceArray<double> weights_;
};

/// Plans tiles and slices of given sizes.
inline cuda::FusedPlan plan_tiles(const Topology& topology, Index size,
                                  int tile_size, Index tiles_per_slice) {
  cuda::FusedPlan plan;
  plan.network = cuda::lay_out(topology, tile_size);
  plan.num_threads = 64;
  plan.shared_bytes = std::max<std::size_t>(
      at(plan.network.num_numbers) * sizeof(double), 64 * sizeof(double));
  plan.slice_size = tile_size * tiles_per_slice;
  plan.num_slices = (size + plan.slice_size - 1) / plan.slice_size;
  return plan;
}

/// Returns the sums over all instances by the kernels.
template <typename Number>
FusedResult evaluate_on_chip(const cuda::FusedPlan& plan,
                             const cuda::FusedInstances& instances,
                             const double* weights,
                             const cuda::Stream& stream) {
  const Index num_weights = plan.network.num_weights;
  cuda::DeviceArray<Number> gradients(num_weights * plan.num_slices);
  cuda::DeviceArray<double> losses(plan.num_slices);
  cuda::DeviceArray<double> value(1);
  cuda::DeviceArray<double> gradient(num_weights);
  cuda::evaluate_slices(plan, instances, weights, gradients.data(),
                        losses.data(), stream.get());
  cuda::sum_slices<Number>(num_weights, plan.num_slices, gradients.data(),
                           losses.data(), value.data(), gradient.data(),
                           stream.get());
  FusedResult result;
  result.gradient.resize(num_weights);
  gradient.download({result.gradient.data(), at(num_weights)}, stream);
  result.value = value.download(stream)[0];
  return result;
}

template <typename Number>
FusedResult evaluate_on_chip(const FusedProblem& problem,
                             const cuda::FusedPlan& plan) {
  const cuda::Stream stream;
  const FusedData<double> data(problem, stream);
  return evaluate_on_chip<Number>(plan, data.instances(), data.weights(),
                                  stream);
}

/// The larger of the norm-wise errors of value and gradient; 0 for equal ones.
inline double fused_error(const FusedResult& result,
                          const FusedResult& expected) {
  const auto relative = [](double error, double norm) {
    return error == 0.0 ? 0.0 : error / norm;
  };
  return std::max(relative((result.gradient - expected.gradient).norm(),
                           expected.gradient.norm()),
                  relative(std::abs(result.value - expected.value),
                           std::abs(expected.value)));
}

}  // namespace mlp::testing
