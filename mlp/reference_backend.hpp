// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "../activations/sigmoid.hpp"
#include "../core/error.hpp"
#include "../core/types.hpp"
#include "backend.hpp"
#include "evaluator_plan.hpp"
#include "layer_views.hpp"
#include "output_loss.hpp"
#include "topology.hpp"

namespace mlp {

/// The specification: one Eigen expression a formula, a tile of instances at a
/// time.
///
/// \source Spark ml/ann/Layer.scala, AffineLayerModel and
///         FeedForwardModel.computeGradient
class ReferenceEvaluator final : public Evaluator {
 public:
  explicit ReferenceEvaluator(const Topology& topology) : topology_(topology) {}

  void set_weights(const double* weights) override { weights_ = weights; }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto tile = std::make_unique<Tile>();
    const auto count = static_cast<std::size_t>(topology_.num_layers());
    tile->outputs.resize(count);
    tile->deltas.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const Index rows = topology_.output_size(static_cast<Index>(k));
      tile->outputs[k].resize(rows, kTileSize);
      tile->deltas[k].resize(rows, kTileSize);
    }
    return tile;
  }

  double add_gradient(const InstanceRange& instances, double* gradient,
                      Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    double loss = 0.0;
    for (Index first = 0; first < instances.size; first += kTileSize) {
      const Index size = std::min(kTileSize, instances.size - first);
      const Matrix& output = forward(view(instances, first, size),
                                     topology_.num_layers() - 1, tile);
      tile.deltas.back().leftCols(size) = output.leftCols(size);
      loss += output_delta(instances, first, size, tile);
      backward(view(instances, first, size), gradient, tile);
    }
    return loss;
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    Eigen::Map<Matrix> result(output, topology_.output_size(k), instances.size);
    for (Index first = 0; first < instances.size; first += kTileSize) {
      const Index size = std::min(kTileSize, instances.size - first);
      result.middleCols(first, size) =
          forward(view(instances, first, size), k, tile).leftCols(size);
    }
  }

 private:
  /// Instances computed at once. Sums of a tile follow Eigen's order; it is the
  /// same for every thread count, because tiles never depend on threads.
  static constexpr Index kTileSize = 128;

  struct Tile final : Workspace {
    std::vector<Matrix> outputs;  ///< of each layer [output_size x kTileSize]
    std::vector<Matrix> deltas;   ///< d loss / d z  [output_size x kTileSize]
  };

  using Features = Eigen::Map<const Matrix>;  // [num_features x tile size]

  [[nodiscard]] Features view(const InstanceRange& instances, Index first,
                              Index size) const {
    const Index num_features = topology_.num_features();
    return {instances.features + first * num_features, num_features, size};
  }

  /// a = sigmoid(W a + b), layer by layer; the last layer stops at W a + b.
  ///
  /// \return output of layer last, of which the first columns count
  const Matrix& forward(const Features& features, Index last,
                        Tile& tile) const {
    const Index size = features.cols();
    for (Index k = 0; k <= last; ++k) {
      const ConstLayerView layer = view_layer(topology_, k, weights_);
      auto z = tile.outputs[at(k)].leftCols(size);
      z.colwise() = layer.biases;
      if (k == 0) {
        z.noalias() += layer.weights * features;
      } else {
        z.noalias() += layer.weights * tile.outputs[at(k - 1)].leftCols(size);
      }
      if (k + 1 < topology_.num_layers()) {
        z = z.unaryExpr(
            [](double x) { return activations::Sigmoid::value(x); });
      }
    }
    return tile.outputs[at(last)];
  }

  /// Turns the last layer's z, in deltas, into d loss / d z.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& instances, Index first, Index size,
                      Tile& tile) const {
    Matrix& delta = tile.deltas.back();
    const Index num_outputs = topology_.num_classes();
    double loss = 0.0;
    for (Index j = 0; j < size; ++j) {
      const Index i = first + j;
      if (topology_.loss() == Loss::kSoftmaxNll) {
        loss += softmax_nll(delta.col(j), instances.labels[i],
                            instances.weights[i]);
      } else {
        const Eigen::Map<const Vector> target(
            instances.targets + i * num_outputs, num_outputs);
        loss +=
            sigmoid_squared_error(delta.col(j), target, instances.weights[i]);
      }
    }
    return loss;
  }

  /// dW += delta a^T, db += delta 1, delta' = W^T delta (1 - a) a, from the last
  /// layer to the first.
  void backward(const Features& features, double* gradient, Tile& tile) const {
    const Index size = features.cols();
    for (Index k = topology_.num_layers() - 1; k >= 0; --k) {
      const auto delta = tile.deltas[at(k)].leftCols(size);
      LayerView sum = view_layer(topology_, k, gradient);
      sum.biases += delta.rowwise().sum();
      if (k == 0) {
        sum.weights.noalias() += delta * features.transpose();
        return;
      }
      const auto input = tile.outputs[at(k - 1)].leftCols(size);
      sum.weights.noalias() += delta * input.transpose();
      auto previous = tile.deltas[at(k - 1)].leftCols(size);
      previous.noalias() =
          view_layer(topology_, k, weights_).weights.transpose() * delta;
      previous = previous.binaryExpr(input, [](double d, double a) {
        return d * activations::Sigmoid::derivative(a);
      });
    }
  }

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  Topology topology_;
  const double* weights_ = nullptr;
};

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] const char* name() const override { return "reference"; }

  using Backend::make_evaluator;

  /// \throws ParamError for float32: the specification is in double precision
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const override {
    if (precision != Precision::kFloat64) {
      throw ParamError(
          "precision must be float64 for the reference backend; got float32; "
          "the CPU kernels compute in both");
    }
    return std::make_unique<ReferenceEvaluator>(topology);
  }

  /// \throws ParamError for float32, as make_evaluator()
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return std::make_unique<EvaluatorPlan>(
        topology, make_evaluator(topology, precision), weights);
  }
};

/// The backend that needs nothing but Eigen.
[[nodiscard]] inline const Backend& reference_backend() {
  static const ReferenceBackend backend;
  return backend;
}

}  // namespace mlp
