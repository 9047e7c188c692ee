// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "openblas_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "../activations/sigmoid.hpp"
#include "../core/error.hpp"
#include "../mlp/backend/apply_loss.hpp"
#include "../mlp/backend/converting_plan.hpp"
#include "openblas_library.hpp"

namespace mlp::openblas {

namespace {

template <typename Real>
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

template <typename Real>
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

std::size_t at(Index k) { return static_cast<std::size_t>(k); }

/// The weights of a network and its forward pass, one tile at a time.
template <typename Real>
class GemmNetwork {
 public:
  static constexpr bool kIsDouble = std::is_same_v<Real, double>;

  /// Number of instances per product. It is large enough to hide the cost of
  /// repacking the weights, which OpenBLAS does in every call, and small enough
  /// for the L2 cache.
  static constexpr Index kTileSize = 256;

  /// Scratch memory of the forward pass.
  struct Tile {
    std::vector<RealMatrix<Real>> outputs;  ///< of each layer
                                            ///< [output_size x tile]
    RealMatrix<Real> features;  ///< only in float32 [num_features x tile]
  };

  GemmNetwork(const Topology& topology, const Library& library)
      : topology_(topology), library_(library) {}

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const Library& library() const { return library_; }

  /// \param weights  [num_weights]; must stay alive in float64
  void set_weights(const double* weights) {
    if constexpr (kIsDouble) {
      weights_ = weights;
    } else {
      float_weights_ =
          Eigen::Map<const Vector>(weights, topology_.num_weights())
              .template cast<Real>();
      weights_ = float_weights_.data();
    }
  }

  [[nodiscard]] const Real* weights() const { return weights_; }

  [[nodiscard]] Tile make_tile() const {
    Tile tile;
    for (Index k = 0; k < topology_.num_layers(); ++k) {
      tile.outputs.emplace_back(topology_.output_size(k), kTileSize);
    }
    if (!kIsDouble) tile.features.resize(topology_.num_features(), kTileSize);
    return tile;
  }

  /// \return [num_features x size], contiguous
  const Real* load_features(const double* features, Index size,
                            Tile& tile) const {
    if constexpr (kIsDouble) {
      return features;
    } else {
      tile.features.leftCols(size) =
          Eigen::Map<const Matrix>(features, topology_.num_features(), size)
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
      z.colwise() = Eigen::Map<const RealVector<Real>>(
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

 private:
  Topology topology_;
  const Library& library_;
  const Real* weights_ = nullptr;
  RealVector<Real> float_weights_;  // only in float32 [num_weights]
};

template <typename Real>
class GemmEvaluator final : public SliceEvaluator {
 public:
  GemmEvaluator(const Topology& topology, const Library& library)
      : network_(topology, library) {}

  /// The slices have the features.
  void bind(const InstanceRange& /*instances*/) override {}

  void set_weights(const double* weights) override {
    network_.set_weights(weights);
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->tile = network_.make_tile();
    for (Index k = 0; k < topology().num_layers(); ++k) {
      scratch->deltas.emplace_back(topology().output_size(k),
                                   Network::kTileSize);
    }
    scratch->column.resize(topology().num_classes());
    if (!Network::kIsDouble) {
      scratch->gradient.resize(topology().num_weights());
    }
    return scratch;
  }

  double compute_gradient(const InstanceRange& slice, double* gradient,
                          Workspace& workspace) const override {
    auto& scratch = static_cast<Scratch&>(workspace);
    Real* sum = begin_sum(gradient, scratch);
    double loss = 0.0;
    for (Index first = 0; first < slice.size; first += Network::kTileSize) {
      if (workspace.is_stopping()) break;
      const Index size = std::min(Network::kTileSize, slice.size - first);
      const Real* features = network_.load_features(
          slice.features + first * topology().num_features(), size,
          scratch.tile);
      network_.forward(features, size, topology().num_layers() - 1,
                       scratch.tile);
      loss += output_delta(slice, first, size, scratch);
      backward(features, size, sum, scratch);
    }
    if (!Network::kIsDouble) {
      Eigen::Map<Vector>(gradient, topology().num_weights()) =
          scratch.gradient.template cast<double>();
    }
    return loss;
  }

 private:
  using Network = GemmNetwork<Real>;

  struct Scratch final : Workspace {
    typename Network::Tile tile;
    std::vector<RealMatrix<Real>> deltas;  ///< d loss / d z
                                           ///< [output_size x tile]
    Vector column;                         ///< one instance  [num_classes]
    RealVector<Real> gradient;             ///< only in float32 [num_weights]
  };

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  /// Returns the array in which the products of a gradient are summed.
  Real* begin_sum(double* gradient, Scratch& scratch) const {
    Real* sum;
    if constexpr (Network::kIsDouble) {
      sum = gradient;
    } else {
      sum = scratch.gradient.data();
    }
    std::fill_n(sum, topology().num_weights(), Real{0});
    return sum;
  }

  /// Computes d loss / d z of the last layer. It computes one instance at a time
  /// in double precision.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& slice, Index first, Index size,
                      Scratch& scratch) const {
    double loss = 0.0;
    for (Index j = 0; j < size; ++j) {
      const Index i = first + j;
      scratch.column =
          scratch.tile.outputs.back().col(j).template cast<double>();
      loss +=
          apply_loss(topology().loss_function(), Likelihood::kOfProbabilities,
                     slice, i, slice.weights[i], scratch.column);
      scratch.deltas.back().col(j) = scratch.column.template cast<Real>();
    }
    return loss;
  }

  /// Computes dW += delta a^T, db += delta 1 and delta' = W^T delta (1 - a) a,
  /// from the last layer to the first.
  void backward(const Real* features, Index size, Real* sum,
                Scratch& scratch) const {
    const Library& library = network_.library();
    for (Index k = topology().num_layers() - 1; k >= 0; --k) {
      const Index outputs = topology().output_size(k);
      const Index inputs = topology().input_size(k);
      const auto delta = scratch.deltas[at(k)].leftCols(size);
      const Real* input =
          k == 0 ? features : scratch.tile.outputs[at(k - 1)].data();
      Eigen::Map<RealVector<Real>>(sum + topology().bias_offset(k), outputs) +=
          delta.rowwise().sum();
      library.multiply({outputs, inputs, size}, {delta.data()}, {input, true},
                       Real{1}, sum + topology().weight_offset(k));
      if (k == 0) return;
      auto previous = scratch.deltas[at(k - 1)].leftCols(size);
      library.multiply({inputs, size, outputs},
                       {network_.weights() + topology().weight_offset(k), true},
                       {delta.data()}, Real{0}, previous.data());
      previous = previous.binaryExpr(
          scratch.tile.outputs[at(k - 1)].leftCols(size), [](Real d, Real a) {
            return d * activations::Sigmoid::derivative(a);
          });
    }
  }

  Network network_;
};

template <typename Real>
class GemmPlan final : public ConvertingPlan {
 public:
  GemmPlan(const Topology& topology, const double* weights,
           const Library& library)
      : ConvertingPlan(topology),
        weights_(Eigen::Map<const Vector>(weights, topology.num_weights())),
        network_(topology, library) {
    network_.set_weights(weights_.data());
  }

  /// \cost allocates the outputs of the layers
  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    using Network = GemmNetwork<Real>;
    typename Network::Tile tile = network_.make_tile();
    Eigen::Map<Matrix> result(output, topology().output_size(layer), size);
    for (Index first = 0; first < size; first += Network::kTileSize) {
      const Index count = std::min(Network::kTileSize, size - first);
      const Real* const from = network_.load_features(
          features + first * topology().num_features(), count, tile);
      network_.forward(from, count, layer, tile);
      result.middleCols(first, count) =
          tile.outputs[at(layer)].leftCols(count).template cast<double>();
    }
  }

 private:
  Vector weights_;
  GemmNetwork<Real> network_;
};

class OpenBlasBackend final : public Backend {
 public:
  explicit OpenBlasBackend(const Library& library) : library_(library) {}

  [[nodiscard]] const char* name() const override { return "OpenBLAS"; }

  /// \throws ParamError for networks that Spark does not have
  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override {
    check(topology, precision);
    if (precision == Precision::kFloat32) {
      return std::make_unique<GemmEvaluator<float>>(topology, library_);
    }
    return std::make_unique<GemmEvaluator<double>>(topology, library_);
  }

  /// \throws as make_gradient_evaluator()
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    check(topology, precision);
    if (precision == Precision::kFloat32) {
      return std::make_unique<GemmPlan<float>>(topology, weights, library_);
    }
    return std::make_unique<GemmPlan<double>>(topology, weights, library_);
  }

 private:
  void check(const Topology& topology, Precision precision) const {
    require(precision);
    if (topology.is_spark()) return;
    throw ParamError(
        "backend OpenBLAS supports only the networks of Spark, with sigmoid "
        "hidden layers and no other options; use the CPU kernels for all "
        "others");
  }

  const Library& library_;
};

}  // namespace

const Backend& backend() {
  static const OpenBlasBackend opened(library());
  return opened;
}

}  // namespace mlp::openblas
