// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_NETWORK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_NETWORK_INL_HPP
#undef MLP_CPU_PANELS_NETWORK_INL_HPP
#else
#define MLP_CPU_PANELS_NETWORK_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../mlp/backend/batch_evaluator.hpp"
#include "../../mlp/network/dropout.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/activation-inl.hpp"
#include "../base/nonzeros-inl.hpp"
#include "batch_norm-inl.hpp"
#include "layer_values-inl.hpp"
#include "packed_layer-inl.hpp"
#include "panel_arithmetic-inl.hpp"
#include "unit_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What the training by mini-batches computes differently.
template <typename T>
struct Training {
  bool is_on = false;
  std::uint64_t dropout_seed = 0;

  /// Running statistics of batch normalisation  [topology.num_statistics()].
  T* statistics = nullptr;

  /// Flat; receives the gradient of scales and shifts.
  T* gradient = nullptr;
};

/// Computes the layers of a network, some panels of units at a time.
///
/// It computes what mlp/backend/reference_network.hpp defines, with packed
/// weights. A panel is computed for all instances, so that a sum over instances
/// is made by one thread.
template <typename T>
class Network {
 public:
  /// \param frozen  [num_layers], or empty
  Network(const Topology& topology, Passes passes, FrozenLayers frozen = {})
      : topology_(topology), frozen_(std::move(frozen)) {
    frozen_.resize(static_cast<std::size_t>(topology.num_layers()));
    while (lowest_ < frozen_.size() && frozen_[lowest_]) ++lowest_;
    for (std::size_t k = 0; k < frozen_.size(); ++k) {
      layers_.emplace_back(
          topology, index(k),
          k > lowest_ && passes == Passes::kForwardAndBackward);
    }
  }

  /// Packs the weights of every layer.
  ///
  /// \param weights  [topology.num_weights()]; may be destroyed afterwards
  void set_weights(const double* weights) {
    for (PackedLayer<T>& layer : layers_) {
      for (std::size_t i = 0; i < layer.num_pieces(); ++i) {
        layer.set_weights(weights, i);
      }
    }
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::size_t num_layers() const { return layers_.size(); }
  [[nodiscard]] const PackedLayer<T>& layer(std::size_t k) const {
    return layers_[k];
  }
  [[nodiscard]] PackedLayer<T>& layer(std::size_t k) { return layers_[k]; }
  [[nodiscard]] bool is_frozen(std::size_t k) const { return frozen_[k]; }

  /// Returns the first layer that is not frozen, or num_layers() if all are.
  [[nodiscard]] std::size_t lowest() const { return lowest_; }

  /// Computes the outputs of the first num_layers layers. The last layer of the
  /// network computes z, the input of the loss.
  ///
  /// \param has_nonzeros  true to skip the zeros of the input
  void forward(LayerValues<T>& values, std::size_t num_layers,
               bool has_nonzeros) const {
    for (std::size_t k = 0; k < num_layers; ++k) {
      const Range panels{0, layers_[k].outputs().count()};
      if (k == 0 && has_nonzeros) {
        multiply_nonzeros(values);
      } else {
        multiply(k, panels, {0, values.size()}, values);
      }
      if (k + 1 < layers_.size()) finish_layer(k, panels, {}, values);
    }
  }

  /// Computes z = W x + b for some panels and columns.
  void multiply(std::size_t k, const Range& panels, const Range& columns,
                LayerValues<T>& values) const {
    const PackedLayer<T>& layer = layers_[k];
    UnitProduct<T> product{layer.outputs(),    layer.inputs(),
                           layer.weights(),    layer.biases(),
                           values.input_of(k), values.layers[k].output.data(),
                           values.columns};
    if (k == 0) product.ahead = values.ahead;
    if (k == 0 && values.input->rows) {
      product.b = values.input->rows;
      multiply_units<Start::kColumn, Over::kRows>(product, panels, columns);
    } else {
      multiply_units<Start::kColumn, Over::kUnits>(product, panels, columns);
    }
  }

  /// Turns z of some panels of a hidden layer into y.
  void finish_layer(std::size_t k, const Range& panels,
                    const Training<T>& training, LayerValues<T>& values) const {
    for (std::size_t p = panels.begin; p < panels.end; ++p) {
      finish_panel(k, p, training, values);
    }
  }

  /// Computes delta of some panels of layer k - 1 from delta of layer k.
  void backward(std::size_t k, const Range& panels, const Training<T>& training,
                LayerValues<T>& values) const {
    const PackedLayer<T>& layer = layers_[k];
    const auto& above = values.layers[k];
    auto& below = values.layers[k - 1];
    const Range columns{0, values.size()};
    UnitProduct<T> product{
        layer.inputs(),     layer.outputs(),    layer.transposed(), nullptr,
        above.delta.data(), below.delta.data(), values.columns};
    multiply_units<Start::kZero, Over::kUnits>(product, panels, columns);
    if (layer.has_projection()) {
      product.weights = layer.transposed_projection();
      product.b = above.output_delta.data();
      multiply_units<Start::kResult, Over::kUnits>(product, panels, columns);
    }
    for (std::size_t p = panels.begin; p < panels.end; ++p) {
      if (topology_.is_residual(index(k)) && !layer.has_projection()) {
        add_panel(values.panel(above.output_delta, p),
                  layer.inputs().vectors_of(p), values.size(),
                  values.panel(below.delta, p));
      }
      finish_delta(k - 1, p, training, values);
    }
  }

 private:
  static Index index(std::size_t k) { return static_cast<Index>(k); }

  /// Copies a panel if a backward pass needs it.
  static void copy_panel(const T* from, const AlignedArray<T>& to,
                         std::size_t p, const LayerValues<T>& values) {
    if (!to.data()) return;
    std::copy_n(from, values.size() * kPanelRows<T>, values.panel(to, p));
  }

  /// Computes W X + b of the first layer from the features that are not zero.
  void multiply_nonzeros(LayerValues<T>& values) const {
    const PackedLayer<T>& layer = layers_[0];
    const Nonzeros<T>& nonzeros = values.input->nonzeros;
    for (std::size_t p = 0; p < layer.outputs().count(); ++p) {
      Product<T> product = {
          layer.inputs().rows(),
          layer.weights() + Panels<T>::offset(p, layer.inputs().rows()),
          values.input->panels,
          values.panel(values.layers[0].output, p),
          layer.biases() + p * kPanelRows<T>,
          0};
      for (std::size_t j = 0; j < values.size(); j += kGroupSize) {
        const std::size_t group = j / kGroupSize;
        multiply_listed<Start::kColumn, Over::kUnits>(
            product, layer.outputs().vectors_of(p), nonzeros.features(group),
            nonzeros.num_features(group),
            std::min(kGroupSize, values.size() - j));
        product.c += kGroupSize * kPanelRows<T>;
      }
    }
  }

  /// Computes y = skip(x) + dropout(f(batch_norm(z))) of a panel.
  void finish_panel(std::size_t k, std::size_t p, const Training<T>& training,
                    LayerValues<T>& values) const {
    auto& buffers = values.layers[k];
    const HiddenLayer& hidden = topology_.hidden(index(k));
    const std::size_t vectors = layers_[k].outputs().vectors_of(p);
    T* y = values.panel(buffers.output, p);
    if (hidden.has_batch_norm) normalise(k, p, training.statistics, values);
    copy_panel(y, buffers.z, p, values);
    hidden.activation.visit([&](auto f) HWY_ATTR {
      for_each_run<T>(vectors, values.size(),
                      [&](std::size_t at, std::size_t count) HWY_ATTR {
                        apply_activation<decltype(f)>(y + at, count, y + at);
                      });
    });
    copy_panel(y, buffers.activated, p, values);
    if (training.is_on && hidden.dropout > 0.0) {
      draw_mask(k, p, training.dropout_seed, values);
      multiply_mask(k, p, y, values);
    }
    if (hidden.is_residual) add_skip(k, p, y, values);
  }

  void normalise(std::size_t k, std::size_t p, T* statistics,
                 LayerValues<T>& values) const {
    const Panels<T>& rows = layers_[k].outputs();
    const std::size_t first = p * kPanelRows<T>;
    T* z = values.panel(values.layers[k].output, p);
    T* means = statistics + topology_.statistic_offset(index(k)) + first;
    T* variances = means + topology_.output_size(index(k));
    PanelStatistics<T> used;
    if (frozen_[k]) {
      std::copy_n(means, rows.rows_of(p), used.means);
      std::copy_n(variances, rows.rows_of(p), used.variances);
    } else {
      compute_statistics(z, rows.vectors_of(p), values.size(), used);
      move_statistics(used, rows.rows_of(p), values.size(), means, variances);
    }
    normalise_panel(used, layers_[k].shifts() + first, z,
                    normalised_panel(k, p, values));
  }

  NormalisedPanel<T> normalised_panel(std::size_t k, std::size_t p,
                                      LayerValues<T>& values) const {
    auto& buffers = values.layers[k];
    const std::size_t first = p * kPanelRows<T>;
    return {layers_[k].outputs().vectors_of(p), values.size(),
            layers_[k].scales() + first,
            buffers.inverse_deviation.data() + first,
            values.panel(buffers.normalised, p)};
  }

  void draw_mask(std::size_t k, std::size_t p, std::uint64_t seed,
                 LayerValues<T>& values) const {
    const DropoutMask mask(seed, index(k), topology_.hidden(index(k)).dropout);
    T* to = values.panel(values.layers[k].mask, p);
    const std::size_t rows = layers_[k].outputs().rows_of(p);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const Index place = values.places.empty() ? index(j) : values.places[j];
      for (std::size_t i = 0; i < rows; ++i) {
        to[j * kPanelRows<T> + i] =
            static_cast<T>(mask.factor(place, index(p * kPanelRows<T> + i)));
      }
    }
  }

  void multiply_mask(std::size_t k, std::size_t p, T* to,
                     const LayerValues<T>& values) const {
    scale_panel(values.panel(values.layers[k].mask, p),
                layers_[k].outputs().vectors_of(p), values.size(), to);
  }

  /// Computes y += x or y += P x.
  void add_skip(std::size_t k, std::size_t p, T* y,
                const LayerValues<T>& values) const {
    const PackedLayer<T>& layer = layers_[k];
    if (!layer.has_projection()) {
      return add_panel(
          values.input_of(k) + Panels<T>::offset(p, values.columns),
          layer.outputs().vectors_of(p), values.size(), y);
    }
    multiply_units<Start::kResult, Over::kUnits>(
        UnitProduct<T>{layer.outputs(), layer.inputs(), layer.projection(),
                       nullptr, values.input_of(k),
                       values.layers[k].output.data(), values.columns},
        {p, p + 1}, {0, values.size()});
  }

  /// Turns d loss / d y of a hidden layer into d loss / d (W x + b).
  void finish_delta(std::size_t k, std::size_t p, const Training<T>& training,
                    LayerValues<T>& values) const {
    auto& buffers = values.layers[k];
    const HiddenLayer& hidden = topology_.hidden(index(k));
    T* delta = values.panel(buffers.delta, p);
    copy_panel(delta, buffers.output_delta, p, values);
    if (training.is_on && hidden.dropout > 0.0) {
      multiply_mask(k, p, delta, values);
    }
    const T* value = values.panel(
        buffers.activated.data() ? buffers.activated : buffers.output, p);
    const T* z = buffers.z.data() ? values.panel(buffers.z, p) : value;
    hidden.activation.visit([&](auto f) HWY_ATTR {
      for_each_run<T>(layers_[k].outputs().vectors_of(p), values.size(),
                      [&](std::size_t at, std::size_t count) HWY_ATTR {
                        multiply_derivative<decltype(f)>(z + at, value + at,
                                                         count, delta + at);
                      });
    });
    if (hidden.has_batch_norm) finish_normalised(k, p, training, values);
  }

  void finish_normalised(std::size_t k, std::size_t p,
                         const Training<T>& training,
                         LayerValues<T>& values) const {
    const std::size_t rows = layers_[k].outputs().rows_of(p);
    const std::size_t first = p * kPanelRows<T>;
    const NormalisedPanel<T> panel = normalised_panel(k, p, values);
    T* delta = values.panel(values.layers[k].delta, p);
    if (frozen_[k]) return scale_delta(panel, delta);
    alignas(64) T shift_sum[kPanelRows<T>];
    alignas(64) T scale_sum[kPanelRows<T>];
    normalise_delta(panel, delta, shift_sum, scale_sum);
    std::copy_n(shift_sum, rows,
                training.gradient + topology_.shift_offset(index(k)) + first);
    std::copy_n(scale_sum, rows,
                training.gradient + topology_.scale_offset(index(k)) + first);
  }

  Topology topology_;
  FrozenLayers frozen_;  // [num_layers]
  std::size_t lowest_ = 0;
  std::vector<PackedLayer<T>> layers_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
