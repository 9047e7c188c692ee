// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The reference computation of all layers, forward and backward.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../../activations/activation.hpp"
#include "../../core/types.hpp"
#include "../network/batch_norm.hpp"
#include "../network/dropout.hpp"
#include "../network/layer_views.hpp"
#include "../network/topology.hpp"
#include "batch_evaluator.hpp"

namespace mlp {

/// Applies an activation function to each number of an array.
///
/// \param[in,out] z  out: f(z)   [size]
inline void apply_activation(Activation activation, Index size, double* z) {
  activation.visit([=](auto f) {
    for (Index i = 0; i < size; ++i) z[i] = decltype(f)::value(z[i]);
  });
}

/// Multiplies each number by the derivative of an activation function.
///
/// \param         z      read only if activation.needs_input()   [size]
/// \param         value  f(z)   [size]
/// \param[in,out] delta  out: delta f'(z)   [size]
inline void multiply_derivative(Activation activation, const double* z,
                                const double* value, Index size,
                                double* delta) {
  activation.visit([=](auto f) {
    using F = decltype(f);
    for (Index i = 0; i < size; ++i) {
      if constexpr (activations::kNeedsInput<F>) {
        delta[i] *= F::derivative(z[i], value[i]);
      } else {
        delta[i] *= F::derivative(value[i]);
      }
    }
  });
}

/// Settings of one pass over some instances.
struct PassMode {
  /// True for batch normalisation over these instances and dropout. If false,
  /// the network must have neither, except in frozen layers.
  bool is_training = false;

  std::uint64_t dropout_seed = 0;

  /// The positions that identify the instances in dropout; empty for 0, 1, ..
  std::span<const Index> places = {};
};

/// The reference for the computation of layers: one Eigen expression a formula.
///
/// \source Spark ml/ann/Layer.scala, AffineLayerModel and
///         FeedForwardModel.computeGradient; the sources named in the header of
///         each part
class ReferenceNetwork {
 public:
  using Features = Eigen::Map<const Matrix>;
  using Columns = Eigen::Map<Matrix>;

  /// The values of one layer for some instances [output_size x capacity] each.
  struct Layer {
    Matrix output;        ///< y; for the last layer z, then d loss / d z
    Matrix z;             ///< if the activation's derivative needs it
    Matrix activated;     ///< f(z) if it is not the output
    Matrix normalised;    ///< (z - mean) / deviation
    Vector deviation;     ///< sqrt(variance + epsilon)   [output_size]
    Matrix delta;         ///< d loss / d (W x + b)
    Matrix output_delta;  ///< d loss / d y of a residual layer
  };
  using Layers = std::vector<Layer>;

  explicit ReferenceNetwork(Topology topology, FrozenLayers frozen = {})
      : topology_(std::move(topology)), frozen_(std::move(frozen)) {
    frozen_.resize(static_cast<std::size_t>(topology_.num_layers()));
    while (lowest_ < topology_.num_layers() && is_frozen(lowest_)) ++lowest_;
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }

  /// Allocates layers for up to capacity instances.
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

  /// Computes y = skip(x) + dropout(f(batch_norm(W x + b))), layer by layer.
  /// The last layer computes W x + b only.
  ///
  /// \param         weights     [topology.num_weights()]
  /// \param[in,out] statistics  [topology.num_statistics()]; those of frozen
  ///                            layers are read, the others are updated
  /// \return output of layer last; its first features.cols() columns are valid
  Matrix& forward(const Features& features, const double* weights,
                  double* statistics, Index last, const PassMode& mode,
                  Layers& layers) const {
    const Index size = features.cols();
    for (Index k = 0; k <= last; ++k) {
      Layer& layer = layers[at(k)];
      const View view = view_layer(topology_, k, weights);
      const Features input = input_of(k, features, layers);
      Columns y = first_columns(layer.output, size);
      y.colwise() = view.biases;
      y.noalias() += view.weights * input;
      if (!topology_.is_hidden(k)) break;
      if (topology_.has_batch_norm(k)) {
        normalise(k, view, statistics, y, layer);
      }
      if (needs_z(k)) first_columns(layer.z, size) = y;
      apply_activation(topology_.hidden(k).activation, y.size(), y.data());
      if (has_branch(k)) first_columns(layer.activated, size) = y;
      if (mode.is_training) drop(k, mode, y);
      if (topology_.has_projection(k)) {
        y.noalias() += view.projection * input;
      } else if (topology_.is_residual(k)) {
        y += input;
      }
    }
    return layers[at(last)].output;
  }

  /// Adds the gradient, from the last layer down to the lowest that is not
  /// frozen: dW += delta x^T, db += delta 1, and the gradients of the other
  /// parts.
  ///
  /// \param         layers    after forward() with the same arguments; delta of
  ///                          the last layer is d loss / d z
  /// \param[in,out] gradient  [topology.num_weights()]
  void backward(const Features& features, const double* weights,
                const PassMode& mode, Layers& layers, double* gradient) const {
    const Index size = features.cols();
    for (Index k = topology_.num_layers() - 1; k >= lowest_; --k) {
      Layer& layer = layers[at(k)];
      if (!is_frozen(k)) {
        add_gradient(input_of(k, features, layers), layer,
                     view_layer(topology_, k, gradient));
      }
      if (k == lowest_) return;
      propagate(k, view_layer(topology_, k, weights), layer, size, layers);
      finish_delta(k - 1, weights, mode, size, layers[at(k - 1)], gradient);
    }
  }

 private:
  using View = ConstLayerView;

  // One type for each operand, so that every product is compiled once.
  static Columns first_columns(Matrix& numbers, Index count) {
    return {numbers.data(), numbers.rows(), count};
  }
  static Features first_columns(const Matrix& numbers, Index count) {
    return {numbers.data(), numbers.rows(), count};
  }

  /// Returns the input of layer k.
  static Features input_of(Index k, const Features& features,
                           const Layers& layers) {
    if (k == 0) return {features.data(), features.rows(), features.cols()};
    return first_columns(layers[at(k - 1)].output, features.cols());
  }

  [[nodiscard]] bool is_frozen(Index k) const { return frozen_[at(k)]; }

  [[nodiscard]] bool needs_z(Index k) const {
    return topology_.is_hidden(k) &&
           topology_.hidden(k).activation.needs_input();
  }

  /// Returns true if f(z) is not the output.
  [[nodiscard]] bool has_branch(Index k) const {
    return topology_.is_hidden(k) &&
           (topology_.is_residual(k) || topology_.hidden(k).dropout > 0.0);
  }

  /// Computes z = scale (z - mean) / deviation + shift.
  void normalise(Index k, const View& view, double* statistics, Columns& z,
                 Layer& layer) const {
    const Index units = z.rows();
    Eigen::Map<Vector> mean(statistics + topology_.statistic_offset(k), units);
    Eigen::Map<Vector> variance(mean.data() + units, units);
    Columns normalised = first_columns(layer.normalised, z.cols());
    if (is_frozen(k)) {
      normalised = z.colwise() - mean;
      layer.deviation = variance;
    } else {
      const auto size = static_cast<double>(z.cols());
      const Vector batch_mean = z.rowwise().sum() / size;
      normalised = z.colwise() - batch_mean;
      layer.deviation = normalised.rowwise().squaredNorm() / size;
      constexpr double kMomentum = BatchNorm::kMomentum;
      mean += kMomentum * (batch_mean - mean);
      variance +=
          kMomentum * (layer.deviation * (size / (size - 1)) - variance);
    }
    layer.deviation = (layer.deviation.array() + BatchNorm::kEpsilon).sqrt();
    normalised.array().colwise() /= layer.deviation.array();
    z = (normalised.array().colwise() * view.scales.array()).colwise() +
        view.shifts.array();
  }

  void drop(Index k, const PassMode& mode, Columns& y) const {
    const double rate = topology_.hidden(k).dropout;
    if (rate == 0.0) return;
    const DropoutMask mask(mode.dropout_seed, k, rate);
    for (Index j = 0; j < y.cols(); ++j) {
      const Index place =
          mode.places.empty() ? j : mode.places[static_cast<std::size_t>(j)];
      for (Index i = 0; i < y.rows(); ++i) {
        y(i, j) *= mask.factor(place, i);
      }
    }
  }

  /// Computes dW += delta x^T, db += delta 1, dP += d y x^T.
  static void add_gradient(const Features& input, const Layer& layer,
                           LayerView sum) {
    const Features delta = first_columns(layer.delta, input.cols());
    sum.biases += delta.rowwise().sum();
    sum.weights.noalias() += delta * input.transpose();
    if (sum.projection.size() == 0) return;
    sum.projection.noalias() +=
        first_columns(layer.output_delta, input.cols()) * input.transpose();
  }

  /// Computes d loss / d x = W^T delta + skip^T (d loss / d y) of layer k. The
  /// result is stored as delta of the layer before.
  void propagate(Index k, const View& view, const Layer& layer, Index size,
                 Layers& layers) const {
    Columns below = first_columns(layers[at(k - 1)].delta, size);
    below.noalias() =
        view.weights.transpose() * first_columns(layer.delta, size);
    if (!topology_.is_residual(k)) return;
    const Features output_delta = first_columns(layer.output_delta, size);
    if (topology_.has_projection(k)) {
      below.noalias() += view.projection.transpose() * output_delta;
    } else {
      below += output_delta;
    }
  }

  /// Turns d loss / d y of a hidden layer into d loss / d (W x + b).
  void finish_delta(Index k, const double* weights, const PassMode& mode,
                    Index size, Layer& layer, double* gradient) const {
    Columns delta = first_columns(layer.delta, size);
    if (topology_.is_residual(k)) {
      first_columns(layer.output_delta, size) = delta;
    }
    if (mode.is_training) drop(k, mode, delta);
    const Matrix& value = has_branch(k) ? layer.activated : layer.output;
    const Matrix& z = needs_z(k) ? layer.z : value;
    multiply_derivative(topology_.hidden(k).activation, z.data(), value.data(),
                        delta.size(), delta.data());
    if (!topology_.has_batch_norm(k)) return;
    finish_normalised(k, view_layer(topology_, k, weights), delta, layer,
                      view_layer(topology_, k, gradient));
  }

  /// Computes delta = scale / deviation (g - sum(g) / m - n sum(g n) / m), with
  /// g = d loss / d (scale n + shift), n normalised, m instances.
  void finish_normalised(Index k, const View& view, Columns& delta,
                         const Layer& layer, LayerView sum) const {
    const Vector ratio = view.scales.cwiseQuotient(layer.deviation);
    if (!is_frozen(k)) {
      const auto size = static_cast<double>(delta.cols());
      const Features normalised = first_columns(layer.normalised, delta.cols());
      const Vector shift_sum = delta.rowwise().sum();
      const Vector scale_sum = delta.cwiseProduct(normalised).rowwise().sum();
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
  Index lowest_ = 0;     ///< the first layer that is not frozen
};

}  // namespace mlp
