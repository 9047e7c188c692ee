// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "openblas_backend.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "../activations/sigmoid.hpp"
#include "../core/error.hpp"
#include "../mlp/backend/apply_loss.hpp"
#include "../mlp/backend/evaluator_plan.hpp"
#include "openblas_library.hpp"

namespace mlp::openblas {

namespace {

template <typename Real>
class GemmEvaluator final : public Evaluator {
 public:
  GemmEvaluator(const Topology& topology, const Library& library)
      : topology_(topology), library_(library) {}

  void set_weights(const double* weights) override {
    if constexpr (kIsDouble) {
      weights_ = weights;
    } else {
      float_weights_ =
          Eigen::Map<const Vector>(weights, topology_.num_weights())
              .template cast<Real>();
      weights_ = float_weights_.data();
    }
  }

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
    tile->column.resize(topology_.num_classes());
    if (!kIsDouble) {
      tile->features.resize(topology_.num_features(), kTileSize);
      tile->gradient.resize(topology_.num_weights());
    }
    return tile;
  }

  double compute_gradient(const InstanceRange& instances, double* gradient,
                          Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    Real* sum = begin_sum(gradient, tile);
    double loss = 0.0;
    for (Index first = 0; first < instances.size; first += kTileSize) {
      if (workspace.is_stopping()) break;
      const Index size = std::min(kTileSize, instances.size - first);
      const Real* features = load_features(instances, first, size, tile);
      forward(features, size, topology_.num_layers() - 1, tile);
      loss += output_delta(instances, first, size, tile);
      backward(features, size, sum, tile);
    }
    if (!kIsDouble) {
      Eigen::Map<Vector>(gradient, topology_.num_weights()) =
          tile.gradient.template cast<double>();
    }
    return loss;
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& tile = static_cast<Tile&>(workspace);
    Eigen::Map<Matrix> result(output, topology_.output_size(k), instances.size);
    for (Index first = 0; first < instances.size; first += kTileSize) {
      if (workspace.is_stopping()) break;
      const Index size = std::min(kTileSize, instances.size - first);
      forward(load_features(instances, first, size, tile), size, k, tile);
      result.middleCols(first, size) =
          tile.outputs[at(k)].leftCols(size).template cast<double>();
    }
  }

 private:
  using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  static constexpr bool kIsDouble = std::is_same_v<Real, double>;

  /// Number of instances per product. It is large enough to hide the cost of
  /// repacking the weights, which OpenBLAS does in every call, and small enough
  /// for the L2 cache.
  static constexpr Index kTileSize = 256;

  struct Tile final : Workspace {
    std::vector<RealMatrix> outputs;  ///< of each layer [output_size x tile]
    std::vector<RealMatrix> deltas;   ///< d loss / d z  [output_size x tile]
    Vector column;                    ///< one instance  [num_classes]
    RealMatrix features;              ///< only in float32 [num_features x tile]
    RealVector gradient;              ///< only in float32 [num_weights]
  };

  /// Returns the array in which the products of a gradient are summed.
  Real* begin_sum(double* gradient, Tile& tile) const {
    Real* sum;
    if constexpr (kIsDouble) {
      sum = gradient;
    } else {
      sum = tile.gradient.data();
    }
    std::fill_n(sum, topology_.num_weights(), Real{0});
    return sum;
  }

  /// \return [num_features x size], contiguous
  const Real* load_features(const InstanceRange& instances, Index first,
                            Index size, Tile& tile) const {
    const Index num_features = topology_.num_features();
    const double* from = instances.features + first * num_features;
    if constexpr (kIsDouble) {
      return from;
    } else {
      tile.features.leftCols(size) =
          Eigen::Map<const Matrix>(from, num_features, size)
              .template cast<Real>();
      return tile.features.data();
    }
  }

  /// Computes a = sigmoid(W a + b) layer by layer. The last layer only computes
  /// W a + b.
  void forward(const Real* features, Index size, Index last, Tile& tile) const {
    const Real* input = features;
    for (Index k = 0; k <= last; ++k) {
      const Index outputs = topology_.output_size(k);
      auto z = tile.outputs[at(k)].leftCols(size);
      z.colwise() = Eigen::Map<const RealVector>(
          weights_ + topology_.bias_offset(k), outputs);
      library_.multiply({outputs, size, topology_.input_size(k)},
                        {weights_ + topology_.weight_offset(k)}, {input},
                        Real{1}, z.data());
      if (k + 1 < topology_.num_layers()) {
        z = z.unaryExpr([](Real x) { return activations::Sigmoid::value(x); });
      }
      input = z.data();
    }
  }

  /// Replaces z of the last layer by d loss / d z. It computes one instance at
  /// a time in double precision.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& instances, Index first, Index size,
                      Tile& tile) const {
    double loss = 0.0;
    for (Index j = 0; j < size; ++j) {
      const Index i = first + j;
      tile.column = tile.outputs.back().col(j).template cast<double>();
      loss +=
          apply_loss(topology_.loss_function(), Likelihood::kOfProbabilities,
                     instances, i, instances.weights[i], tile.column);
      tile.deltas.back().col(j) = tile.column.template cast<Real>();
    }
    return loss;
  }

  /// Computes dW += delta a^T, db += delta 1 and delta' = W^T delta (1 - a) a,
  /// from the last layer to the first.
  void backward(const Real* features, Index size, Real* sum, Tile& tile) const {
    for (Index k = topology_.num_layers() - 1; k >= 0; --k) {
      const Index outputs = topology_.output_size(k);
      const Index inputs = topology_.input_size(k);
      const auto delta = tile.deltas[at(k)].leftCols(size);
      const Real* input = k == 0 ? features : tile.outputs[at(k - 1)].data();
      Eigen::Map<RealVector>(sum + topology_.bias_offset(k), outputs) +=
          delta.rowwise().sum();
      library_.multiply({outputs, inputs, size}, {delta.data()}, {input, true},
                        Real{1}, sum + topology_.weight_offset(k));
      if (k == 0) return;
      auto previous = tile.deltas[at(k - 1)].leftCols(size);
      library_.multiply({inputs, size, outputs},
                        {weights_ + topology_.weight_offset(k), true},
                        {delta.data()}, Real{0}, previous.data());
      previous = previous.binaryExpr(
          tile.outputs[at(k - 1)].leftCols(size), [](Real d, Real a) {
            return d * activations::Sigmoid::derivative(a);
          });
    }
  }

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  Topology topology_;
  const Library& library_;
  const Real* weights_ = nullptr;
  RealVector float_weights_;  // only in float32 [num_weights]
};

class OpenBlasBackend final : public Backend {
 public:
  explicit OpenBlasBackend(const Library& library) : library_(library) {}

  [[nodiscard]] const char* name() const override { return "OpenBLAS"; }

  using Backend::make_evaluator;

  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const override {
    require(precision);
    if (!topology.is_spark()) {
      throw ParamError(
          "backend OpenBLAS supports only the networks of Spark, with sigmoid "
          "hidden layers and no other options; use the CPU kernels for all "
          "others");
    }
    if (precision == Precision::kFloat32) {
      return std::make_unique<GemmEvaluator<float>>(topology, library_);
    }
    return std::make_unique<GemmEvaluator<double>>(topology, library_);
  }

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    return std::make_unique<EvaluatorPlan>(
        topology, make_evaluator(topology, precision), weights);
  }

 private:
  const Library& library_;
};

}  // namespace

const Backend& backend() {
  static const OpenBlasBackend opened(library());
  return opened;
}

}  // namespace mlp::openblas
