// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../network/topology.hpp"
#include "apply_loss.hpp"
#include "backend.hpp"
#include "converting_plan.hpp"
#include "reference_backend.hpp"
#include "reference_batch_evaluator.hpp"
#include "reference_network.hpp"

namespace mlp {

namespace detail {

/// Instances computed at once. Sums over a tile follow Eigen's order. Tiles do not
/// depend on threads, so the sums do not depend on the number of threads.
inline constexpr Index kReferenceTile = 128;

/// The evaluator of the reference backend; computes one tile at a time.
class ReferenceEvaluator final : public SliceEvaluator {
 public:
  explicit ReferenceEvaluator(const Topology& topology) : network_(topology) {}

  /// The slices have the features.
  void bind(const InstanceRange& /*instances*/) override {}

  void set_weights(const double* weights) override { weights_ = weights; }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Tile>(network_.make_layers(kReferenceTile));
  }

  double compute_gradient(const InstanceRange& slice, double* gradient,
                          Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    Network::Layers& layers = tile.layers;
    std::fill_n(gradient, topology().num_weights(), 0.0);
    const Index last = topology().num_layers() - 1;
    double loss = 0.0;
    for (Index first = 0; first < slice.size; first += kReferenceTile) {
      if (workspace.is_stopping()) break;
      const auto features =
          slice.rows(first, std::min(kReferenceTile, slice.size - first),
                     topology().num_features(), tile.buffer);
      network_.forward(features, weights_, nullptr, last, {}, layers);
      loss += output_delta(slice, first, features.cols(), layers.back());
      network_.backward(features, weights_, {}, layers, gradient);
    }
    return loss;
  }

 private:
  using Network = ReferenceNetwork;
  struct Tile final : Workspace {
    explicit Tile(Network::Layers made) : layers(std::move(made)) {}
    Network::Layers layers;
    Matrix buffer;  ///< for features that are not in memory as rows
  };

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  /// Computes the deltas of the last layer.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& instances, Index first, Index size,
                      Network::Layer& last) const {
    last.delta.leftCols(size) = last.output.leftCols(size);
    const Likelihood likelihood = training_likelihood(topology());
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

/// The scoring of the reference backend; computes one tile at a time.
class ReferencePlan final : public ConvertingPlan {
 public:
  ReferencePlan(const Topology& topology, const double* weights)
      : ConvertingPlan(topology),
        network_(topology),
        weights_(Eigen::Map<const Vector>(weights, topology.num_weights())) {}

  /// \cost allocates the outputs of the layers
  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    auto layers = network_.make_layers(std::min(kReferenceTile, size));
    Eigen::Map<Matrix> result(output, topology().output_size(layer), size);
    for (Index first = 0; first < size; first += kReferenceTile) {
      const ReferenceNetwork::Features tile(
          features + first * topology().num_features(),
          topology().num_features(), std::min(kReferenceTile, size - first));
      result.middleCols(first, tile.cols()) =
          network_.forward(tile, weights_.data(), nullptr, layer, {}, layers)
              .leftCols(tile.cols());
    }
  }

 private:
  ReferenceNetwork network_;
  Vector weights_;
};

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] const char* name() const override { return "reference"; }

  /// \throws ParamError for float32: the reference computes in double precision
  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override {
    require_float64(precision);
    return std::make_unique<ReferenceEvaluator>(topology);
  }

  /// \throws ParamError for float32, as make_gradient_evaluator() does
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    require_float64(precision);
    return std::make_unique<ReferencePlan>(topology, weights);
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

 private:
  static void require_float64(Precision precision) {
    if (precision == Precision::kFloat64) return;
    throw ParamError(
        std::string("precision must be float64 for the reference backend; got ")
            .append(precision_name(precision))
            .append("; use the CPU kernels for float32"));
  }
};

}  // namespace detail

const Backend& reference_backend() {
  static const detail::ReferenceBackend backend;
  return backend;
}

}  // namespace mlp
