// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../core/types.hpp"
#include "activation_array.hpp"
#include "batch_evaluator.hpp"
#include "batch_norm.hpp"
#include "dropout.hpp"
#include "layer_views.hpp"
#include "topology.hpp"

namespace mlp {

/// What a pass over some instances is for.
struct PassMode {
  /// Batch normalisation by these instances and dropout; else neither may be
  /// there, but for frozen layers.
  bool is_training = false;

  std::uint64_t dropout_seed = 0;
};

/// The specification of what layers compute: one Eigen expression a formula, on
/// some instances at once.
///
/// \source Spark ml/ann/Layer.scala, AffineLayerModel and
///         FeedForwardModel.computeGradient; the files of each part
template <typename Number>
class ReferenceNetwork {
 public:
  using NumberMatrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  using NumberVector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  using Features = Eigen::Map<const NumberMatrix>;

  /// One layer's numbers of some instances   [output_size x capacity] each.
  struct Layer {
    NumberMatrix output;        ///< y; of the last layer z, then d loss / d z
    NumberMatrix z;             ///< where the activation's derivative needs it
    NumberMatrix activated;     ///< f(z) where it is not the output
    NumberMatrix normalised;    ///< (z - mean) / deviation
    NumberVector deviation;     ///< sqrt(variance + epsilon)   [output_size]
    NumberMatrix delta;         ///< d loss / d (W x + b)
    NumberMatrix output_delta;  ///< d loss / d y of a residual layer
  };
  using Layers = std::vector<Layer>;

  explicit ReferenceNetwork(Topology topology, FrozenLayers frozen = {})
      : topology_(std::move(topology)), frozen_(std::move(frozen)) {
    frozen_.resize(static_cast<std::size_t>(topology_.num_layers()));
    while (lowest_ < topology_.num_layers() && is_frozen(lowest_)) ++lowest_;
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }

  /// Makes room for so many instances.
  [[nodiscard]] Layers make_layers(Index capacity) const {
    Layers layers(static_cast<std::size_t>(topology_.num_layers()));
    for (Index k = 0; k < topology_.num_layers(); ++k) {
      const Index rows = topology_.output_size(k);
      Layer& layer = layers[at(k)];
      layer.output.resize(rows, capacity);
      layer.delta.resize(rows, capacity);
      if (needs_z(k)) layer.z.resize(rows, capacity);
      if (has_branch(k)) layer.activated.resize(rows, capacity);
      if (topology_.has_batch_norm(k)) layer.normalised.resize(rows, capacity);
      if (topology_.is_residual(k)) layer.output_delta.resize(rows, capacity);
    }
    return layers;
  }

  /// Computes y = skip(x) + dropout(f(batch_norm(W x + b))), layer by layer; the
  /// last layer stops at W x + b.
  ///
  /// \param         weights     [topology.num_weights()]
  /// \param[in,out] statistics  [topology.num_statistics()]; those of frozen
  ///                            layers are read, the others move
  /// \return output of layer last, of which the first columns count
  NumberMatrix& forward(const Features& features, const Number* weights,
                        Number* statistics, Index last, PassMode mode,
                        Layers& layers) const {
    const Index size = features.cols();
    for (Index k = 0; k <= last; ++k) {
      Layer& layer = layers[at(k)];
      const auto view = view_layer(topology_, k, weights);
      auto y = layer.output.leftCols(size);
      y.colwise() = view.biases;
      if (k == 0) {
        y.noalias() += view.weights * features;
      } else {
        y.noalias() += view.weights * layers[at(k - 1)].output.leftCols(size);
      }
      if (!topology_.is_hidden(k)) break;
      if (topology_.has_batch_norm(k)) {
        normalise(k, view, statistics, y, layer);
      }
      if (needs_z(k)) layer.z.leftCols(size) = y;
      apply_activation(topology_.hidden(k).activation, y);
      if (has_branch(k)) layer.activated.leftCols(size) = y;
      if (mode.is_training) drop(k, mode.dropout_seed, y);
      if (!topology_.is_residual(k)) continue;
      if (k == 0) {
        add_skip(k, view, features, y);
      } else {
        add_skip(k, view, layers[at(k - 1)].output.leftCols(size), y);
      }
    }
    return layers[at(last)].output;
  }

  /// Adds the gradient: dW += delta x^T, db += delta 1 and what else the layers
  /// have, from the last layer down to the lowest that is not frozen.
  ///
  /// \param         layers    after forward() with the same arguments; delta of
  ///                          the last is d loss / d z
  /// \param[in,out] gradient  [topology.num_weights()]
  void backward(const Features& features, const Number* weights, PassMode mode,
                Layers& layers, Number* gradient) const {
    const Index size = features.cols();
    for (Index k = topology_.num_layers() - 1; k >= lowest_; --k) {
      Layer& layer = layers[at(k)];
      auto sum = view_layer(topology_, k, gradient);
      if (k == 0) {
        if (!is_frozen(k)) add_gradient(features, layer, sum);
        return;
      }
      const auto input = layers[at(k - 1)].output.leftCols(size);
      if (!is_frozen(k)) add_gradient(input, layer, sum);
      if (k == lowest_) return;
      propagate(k, view_layer(topology_, k, weights), layer, size, layers);
      finish_delta(k - 1, weights, mode, size, layers[at(k - 1)], gradient);
    }
  }

 private:
  using View = BasicLayerView<const Number>;
  using MutableView = BasicLayerView<Number>;

  [[nodiscard]] bool is_frozen(Index k) const { return frozen_[at(k)]; }

  [[nodiscard]] bool needs_z(Index k) const {
    return topology_.is_hidden(k) &&
           topology_.hidden(k).activation.needs_input();
  }

  /// Whether f(z) is not the output.
  [[nodiscard]] bool has_branch(Index k) const {
    return topology_.is_hidden(k) &&
           (topology_.is_residual(k) || topology_.hidden(k).dropout > 0.0);
  }

  /// z = scale (z - mean) / deviation + shift.
  template <typename Block>
  void normalise(Index k, const View& view, Number* statistics, Block& z,
                 Layer& layer) const {
    const Index units = z.rows();
    Eigen::Map<NumberVector> mean(statistics + topology_.statistic_offset(k),
                                  units);
    Eigen::Map<NumberVector> variance(mean.data() + units, units);
    auto normalised = layer.normalised.leftCols(z.cols());
    if (is_frozen(k)) {
      normalised = z.colwise() - mean;
      layer.deviation = variance;
    } else {
      const auto size = static_cast<Number>(z.cols());
      const NumberVector batch_mean = z.rowwise().sum() / size;
      normalised = z.colwise() - batch_mean;
      layer.deviation = normalised.rowwise().squaredNorm() / size;
      constexpr auto kMomentum = static_cast<Number>(BatchNorm::kMomentum);
      mean += kMomentum * (batch_mean - mean);
      variance +=
          kMomentum * (layer.deviation * (size / (size - 1)) - variance);
    }
    constexpr auto kEpsilon = static_cast<Number>(BatchNorm::kEpsilon);
    layer.deviation = (layer.deviation.array() + kEpsilon).sqrt();
    normalised.array().colwise() /= layer.deviation.array();
    z = (normalised.array().colwise() * view.scales.array()).colwise() +
        view.shifts.array();
  }

  template <typename Block>
  void drop(Index k, std::uint64_t seed, Block&& y) const {
    const double rate = topology_.hidden(k).dropout;
    if (rate == 0.0) return;
    const DropoutMask mask(seed, k, rate);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < y.rows(); ++i) {
        y(i, j) *= static_cast<Number>(mask.factor(j, i));
      }
    }
  }

  template <typename Input, typename Block>
  void add_skip(Index k, const View& view, const Input& input, Block& y) const {
    if (topology_.has_projection(k)) {
      y.noalias() += view.projection * input;
    } else {
      y += input;
    }
  }

  /// dW += delta x^T, db += delta 1, dP += d y x^T.
  template <typename Input>
  static void add_gradient(const Input& input, const Layer& layer,
                           MutableView& sum) {
    const auto delta = layer.delta.leftCols(input.cols());
    sum.biases += delta.rowwise().sum();
    sum.weights.noalias() += delta * input.transpose();
    if (sum.projection.size() == 0) return;
    sum.projection.noalias() +=
        layer.output_delta.leftCols(input.cols()) * input.transpose();
  }

  /// Computes d loss / d x = W^T delta + skip^T (d loss / d y) of layer k, as
  /// delta of the layer below.
  void propagate(Index k, const View& view, const Layer& layer, Index size,
                 Layers& layers) const {
    auto below = layers[at(k - 1)].delta.leftCols(size);
    below.noalias() = view.weights.transpose() * layer.delta.leftCols(size);
    if (!topology_.is_residual(k)) return;
    const auto output_delta = layer.output_delta.leftCols(size);
    if (topology_.has_projection(k)) {
      below.noalias() += view.projection.transpose() * output_delta;
    } else {
      below += output_delta;
    }
  }

  /// Turns d loss / d y of a hidden layer into d loss / d (W x + b).
  void finish_delta(Index k, const Number* weights, PassMode mode, Index size,
                    Layer& layer, Number* gradient) const {
    auto delta = layer.delta.leftCols(size);
    if (topology_.is_residual(k)) layer.output_delta.leftCols(size) = delta;
    if (mode.is_training) drop(k, mode.dropout_seed, delta);
    const NumberMatrix& value = has_branch(k) ? layer.activated : layer.output;
    const NumberMatrix& z = needs_z(k) ? layer.z : value;
    multiply_derivative(topology_.hidden(k).activation, z.leftCols(size),
                        value.leftCols(size), delta);
    if (!topology_.has_batch_norm(k)) return;
    finish_normalised(k, view_layer(topology_, k, weights), delta, layer,
                      view_layer(topology_, k, gradient));
  }

  /// With g = d loss / d (scale n + shift), n normalised, m instances:
  /// delta = scale / deviation (g - sum(g) / m - n sum(g n) / m).
  template <typename Block>
  void finish_normalised(Index k, const View& view, Block& delta,
                         const Layer& layer, MutableView sum) const {
    const NumberVector ratio = view.scales.cwiseQuotient(layer.deviation);
    if (!is_frozen(k)) {
      const auto size = static_cast<Number>(delta.cols());
      const auto normalised = layer.normalised.leftCols(delta.cols());
      const NumberVector shift_sum = delta.rowwise().sum();
      const NumberVector scale_sum =
          delta.cwiseProduct(normalised).rowwise().sum();
      sum.shifts += shift_sum;
      sum.scales += scale_sum;
      delta.colwise() -= shift_sum / size;
      delta.array() -=
          normalised.array().colwise() * (scale_sum / size).array();
    }
    delta.array().colwise() *= ratio.array();
  }

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  Topology topology_;
  FrozenLayers frozen_;  // [num_layers]
  Index lowest_ = 0;     ///< layer that is not frozen
};

}  // namespace mlp
