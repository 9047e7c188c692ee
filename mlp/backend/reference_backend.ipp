// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../network/topology.hpp"
#include "apply_loss.hpp"
#include "backend.hpp"
#include "evaluator_plan.hpp"
#include "reference_backend.hpp"
#include "reference_batch_evaluator.hpp"
#include "reference_network.hpp"

namespace mlp {

namespace detail {

/// The evaluator of the reference backend; computes one tile at a time.
class ReferenceEvaluator final : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Topology& topology) : network_(topology) {}

  void set_weights(const double* weights) override { weights_ = weights; }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Tile>(network_.make_layers(kTileSize));
  }

  double compute_gradient(const InstanceRange& instances, double* gradient,
                          Workspace& workspace) const override {
    auto& layers = static_cast<Tile&>(workspace).layers;
    std::fill_n(gradient, topology().num_weights(), 0.0);
    const Index last = topology().num_layers() - 1;
    double loss = 0.0;
    for (Index first = 0; first < instances.size; first += kTileSize) {
      if (workspace.is_stopping()) break;
      const Features features = view(instances, first);
      network_.forward(features, weights_, nullptr, last, {}, layers);
      loss += output_delta(instances, first, features.cols(), layers.back());
      network_.backward(features, weights_, {}, layers, gradient);
    }
    return loss;
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& layers = static_cast<Tile&>(workspace).layers;
    Eigen::Map<Matrix> result(output, topology().output_size(k),
                              instances.size);
    for (Index first = 0; first < instances.size; first += kTileSize) {
      if (workspace.is_stopping()) break;
      const Features features = view(instances, first);
      result.middleCols(first, features.cols()) =
          network_.forward(features, weights_, nullptr, k, {}, layers)
              .leftCols(features.cols());
    }
  }

 private:
  using Network = ReferenceNetwork;
  using Features = Network::Features;

  /// Instances computed at once. Sums over a tile follow Eigen's order. Tiles
  /// do not depend on threads, so the sums do not depend on the number of
  /// threads.
  static constexpr Index kTileSize = 128;

  struct Tile final : Workspace {
    explicit Tile(Network::Layers made) : layers(std::move(made)) {}
    Network::Layers layers;
  };

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  [[nodiscard]] Features view(const InstanceRange& instances,
                              Index first) const {
    const Index num_features = topology().num_features();
    return {instances.features + first * num_features, num_features,
            std::min(kTileSize, instances.size - first)};
  }

  /// Computes the deltas of the last layer.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& instances, Index first, Index size,
                      Network::Layer& last) const {
    last.delta.leftCols(size) = last.output.leftCols(size);
    const Likelihood likelihood = topology().is_spark()
                                      ? Likelihood::kOfProbabilities
                                      : Likelihood::kLogSumExp;
    double loss = 0.0;
    for (Index j = 0; j < size; ++j) {
      loss += apply_loss(topology().loss_function(), likelihood, instances,
                         first + j, instances.weights[first + j],
                         last.delta.col(j));
    }
    return loss;
  }

  Network network_;
  const double* weights_ = nullptr;
};

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] const char* name() const override { return "reference"; }

  using Backend::make_evaluator;

  /// \throws ParamError for float32: the reference computes in double precision
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const override {
    if (precision != Precision::kFloat64) {
      throw ParamError(
          std::string(
              "precision must be float64 for the reference backend; got ")
              .append(precision_name(precision))
              .append("; use the CPU kernels for float32"));
    }
    return std::make_unique<ReferenceEvaluator>(topology);
  }

  /// \throws ParamError for float32, as make_evaluator() does
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return std::make_unique<EvaluatorPlan>(
        topology, make_evaluator(topology, precision), weights);
  }

  [[nodiscard]] std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<double> /*number*/) const override {
    return std::make_unique<ReferenceBatchEvaluator>(topology, frozen);
  }

  [[nodiscard]] std::unique_ptr<BatchEvaluator<float>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<float> /*number*/) const override {
    return std::make_unique<Float32ReferenceBatchEvaluator>(topology, frozen);
  }
};

}  // namespace detail

const Backend& reference_backend() {
  static const detail::ReferenceBackend backend;
  return backend;
}

}  // namespace mlp
