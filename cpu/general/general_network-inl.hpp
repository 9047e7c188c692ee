// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_GENERAL_NETWORK_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_GENERAL_NETWORK_INL_HPP
#undef MLP_CPU_GENERAL_GENERAL_NETWORK_INL_HPP
#else
#define MLP_CPU_GENERAL_GENERAL_NETWORK_INL_HPP
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
#include "batch_norm-inl.hpp"
#include "general_batch-inl.hpp"
#include "general_layer-inl.hpp"
#include "general_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes the layers of a general network, one panel of units at a time.
///
/// It computes what mlp/backend/reference_network.hpp defines, with packed
/// weights. One call computes all instances of a panel, so that a sum over
/// instances is made by one thread.
template <typename T>
class GeneralNetwork {
 public:
  /// \param frozen  [num_layers], or empty
  GeneralNetwork(const Topology& topology, FrozenLayers frozen)
      : topology_(topology), frozen_(std::move(frozen)) {
    frozen_.resize(static_cast<std::size_t>(topology.num_layers()));
    while (lowest_ < frozen_.size() && frozen_[lowest_]) ++lowest_;
    for (std::size_t k = 0; k < frozen_.size(); ++k) {
      layers_.emplace_back(topology, static_cast<Index>(k), k > lowest_);
    }
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::size_t num_layers() const { return layers_.size(); }
  [[nodiscard]] const GeneralLayer<T>& layer(std::size_t k) const {
    return layers_[k];
  }
  [[nodiscard]] GeneralLayer<T>& layer(std::size_t k) { return layers_[k]; }
  [[nodiscard]] bool is_frozen(std::size_t k) const { return frozen_[k]; }

  /// Returns the first layer that is not frozen, or num_layers() if all are.
  [[nodiscard]] std::size_t lowest() const { return lowest_; }

  /// Computes z = W x + b for some columns of panel p.
  void multiply(std::size_t k, std::size_t p, std::size_t first,
                std::size_t end, GeneralBatch<T>& batch) const {
    const GeneralLayer<T>& layer = layers_[k];
    const std::size_t column = first * kGeneralRows<T>;
    multiply_units<Start::kColumn>(
        UnitProduct<T>{
            layer.inputs().rows(), layer.weights(p), batch.input_of(k) + column,
            kGeneralRows<T> * batch.columns,
            panel(batch.layers[k].output, p, batch) + column, layer.biases(p)},
        layer.outputs().vectors_of(p), end - first);
  }

  /// Computes y of panel p of a hidden layer, for all instances.
  ///
  /// \param[in,out] statistics  of batch normalisation; unused without it
  ///                            [topology.num_statistics()]
  void forward(std::size_t k, std::size_t p, bool is_training,
               std::uint64_t dropout_seed, T* statistics,
               GeneralBatch<T>& batch) const {
    auto& buffers = batch.layers[k];
    const std::size_t vectors = layers_[k].outputs().vectors_of(p);
    T* y = panel(buffers.output, p, batch);
    multiply(k, p, 0, batch.size, batch);
    if (topology_.has_batch_norm(index(k))) {
      normalise(k, p, statistics, batch);
    }
    const HiddenLayer& hidden = topology_.hidden(index(k));
    if (hidden.activation.needs_input()) {
      copy_panel(y, panel(buffers.z, p, batch), batch);
    }
    hidden.activation.visit([&](auto f) HWY_ATTR {
      for_each_run(vectors, batch.size,
                   [&](std::size_t at, std::size_t count) HWY_ATTR {
                     apply_activation<decltype(f)>(y + at, count, y + at);
                   });
    });
    if (hidden.is_residual || hidden.dropout > 0.0) {
      copy_panel(y, panel(buffers.activated, p, batch), batch);
    }
    if (is_training && hidden.dropout > 0.0) {
      draw_mask(k, p, dropout_seed, batch);
      multiply_mask(k, p, y, batch);
    }
    if (hidden.is_residual) add_skip(k, p, y, batch);
  }

  /// Computes delta of panel p of layer k - 1 from delta of layer k.
  ///
  /// \param[out] gradient  flat; the scales and shifts of layer k - 1 are
  ///                       written
  void backward(std::size_t k, std::size_t p, bool is_training,
                GeneralBatch<T>& batch, T* gradient) const {
    const GeneralLayer<T>& layer = layers_[k];
    const auto& above = batch.layers[k];
    auto& buffers = batch.layers[k - 1];
    const std::size_t vectors = layer.inputs().vectors_of(p);
    T* delta = panel(buffers.delta, p, batch);
    UnitProduct<T> product{layer.outputs().rows(),
                           layer.transposed(p),
                           above.delta.data(),
                           kGeneralRows<T> * batch.columns,
                           delta,
                           nullptr};
    multiply_units<Start::kZero>(product, vectors, batch.size);
    if (topology_.has_projection(index(k))) {
      product.a = layer.transposed_projection(p);
      product.b = above.output_delta.data();
      multiply_units<Start::kResult>(product, vectors, batch.size);
    } else if (topology_.is_residual(index(k))) {
      add_panel(panel(above.output_delta, p, batch), vectors, batch.size,
                delta);
    }
    finish_delta(k - 1, p, is_training, batch, gradient);
  }

  /// Computes a part of dW for panel p of the outputs; the first part adds db.
  ///
  /// \param         first_input, end_input  range of panels of inputs
  /// \param[in,out] gradient                flat   [topology.num_weights()]
  /// \param         is_first                true to overwrite, false to add
  void add_gradient(std::size_t k, std::size_t p, std::size_t first_input,
                    std::size_t end_input, bool is_first,
                    const GeneralBatch<T>& batch, T* gradient) const {
    const auto& buffers = batch.layers[k];
    add_products(k, p, first_input, end_input, is_first, batch,
                 panel(buffers.delta, p, batch),
                 gradient + topology_.weight_offset(index(k)));
    if (topology_.has_projection(index(k))) {
      add_products(k, p, first_input, end_input, is_first, batch,
                   panel(buffers.output_delta, p, batch),
                   gradient + topology_.projection_offset(index(k)));
    }
    if (first_input > 0) return;
    alignas(64) T sums[kGeneralRows<T>];
    sum_panel(panel(buffers.delta, p, batch),
              layers_[k].outputs().vectors_of(p), batch.size, sums);
    T* to = gradient + topology_.bias_offset(index(k)) + p * kGeneralRows<T>;
    for (std::size_t i = 0; i < layers_[k].outputs().rows_of(p); ++i) {
      to[i] = is_first ? sums[i] : to[i] + sums[i];
    }
  }

 private:
  static Index index(std::size_t k) { return static_cast<Index>(k); }

  static T* panel(const AlignedArray<T>& matrix, std::size_t p,
                  const GeneralBatch<T>& batch) {
    return matrix.data() + GeneralPanels<T>::offset(p, batch.columns);
  }

  /// Calls f(offset, count) for the contiguous runs of numbers of a panel.
  template <class F>
  HWY_INLINE static void for_each_run(std::size_t num_vectors, std::size_t size,
                                      const F& f) {
    if (num_vectors * kLanes<T> == kGeneralRows<T>) {
      return f(0, size * kGeneralRows<T>);
    }
    for (std::size_t j = 0; j < size; ++j) {
      f(j * kGeneralRows<T>, num_vectors * kLanes<T>);
    }
  }

  static void copy_panel(const T* from, T* to, const GeneralBatch<T>& batch) {
    std::copy_n(from, batch.size * kGeneralRows<T>, to);
  }

  static void add_panel(const T* from, std::size_t num_vectors,
                        std::size_t size, T* to) {
    const Tag<T> d;
    for_each_run(
        num_vectors, size, [&](std::size_t at, std::size_t count) HWY_ATTR {
          for (std::size_t i = at; i < at + count; i += kLanes<T>) {
            hn::Store(hn::Add(hn::Load(d, to + i), hn::Load(d, from + i)), d,
                      to + i);
          }
        });
  }

  void normalise(std::size_t k, std::size_t p, T* statistics,
                 GeneralBatch<T>& batch) const {
    auto& buffers = batch.layers[k];
    const Panels& rows = layers_[k].outputs();
    T* z = panel(buffers.output, p, batch);
    T* means =
        statistics + topology_.statistic_offset(index(k)) + p * kGeneralRows<T>;
    T* variances = means + topology_.output_size(index(k));
    PanelStatistics<T> used;
    if (frozen_[k]) {
      std::copy_n(means, rows.rows_of(p), used.means);
      std::copy_n(variances, rows.rows_of(p), used.variances);
    } else {
      compute_statistics(z, rows.vectors_of(p), batch.size, used);
      move_statistics(used, rows.rows_of(p), batch.size, means, variances);
    }
    normalise_panel(used, layers_[k].scales(p), layers_[k].shifts(p),
                    rows.vectors_of(p), batch.size, z,
                    panel(buffers.normalised, p, batch),
                    buffers.inverse_deviation.data() + p * kGeneralRows<T>);
  }

  void draw_mask(std::size_t k, std::size_t p, std::uint64_t seed,
                 GeneralBatch<T>& batch) const {
    const DropoutMask mask(seed, index(k), topology_.hidden(index(k)).dropout);
    T* to = panel(batch.layers[k].mask, p, batch);
    const std::size_t rows = layers_[k].outputs().rows_of(p);
    for (std::size_t j = 0; j < batch.size; ++j) {
      const Index place = batch.places.empty() ? index(j) : batch.places[j];
      for (std::size_t i = 0; i < rows; ++i) {
        to[j * kGeneralRows<T> + i] =
            static_cast<T>(mask.factor(place, index(p * kGeneralRows<T> + i)));
      }
    }
  }

  void multiply_mask(std::size_t k, std::size_t p, T* to,
                     const GeneralBatch<T>& batch) const {
    const Tag<T> d;
    const T* mask = panel(batch.layers[k].mask, p, batch);
    for_each_run(layers_[k].outputs().vectors_of(p), batch.size,
                 [&](std::size_t at, std::size_t count) HWY_ATTR {
                   for (std::size_t i = at; i < at + count; i += kLanes<T>) {
                     hn::Store(
                         hn::Mul(hn::Load(d, to + i), hn::Load(d, mask + i)), d,
                         to + i);
                   }
                 });
  }

  /// Computes y += x or y += P x.
  void add_skip(std::size_t k, std::size_t p, T* y,
                const GeneralBatch<T>& batch) const {
    const GeneralLayer<T>& layer = layers_[k];
    const std::size_t vectors = layer.outputs().vectors_of(p);
    if (!topology_.has_projection(index(k))) {
      return add_panel(
          batch.input_of(k) + GeneralPanels<T>::offset(p, batch.columns),
          vectors, batch.size, y);
    }
    multiply_units<Start::kResult>(
        UnitProduct<T>{layer.inputs().rows(), layer.projection(p),
                       batch.input_of(k), kGeneralRows<T> * batch.columns, y,
                       nullptr},
        vectors, batch.size);
  }

  /// Turns d loss / d y of a hidden layer into d loss / d (W x + b).
  void finish_delta(std::size_t k, std::size_t p, bool is_training,
                    GeneralBatch<T>& batch, T* gradient) const {
    auto& buffers = batch.layers[k];
    const HiddenLayer& hidden = topology_.hidden(index(k));
    const std::size_t vectors = layers_[k].outputs().vectors_of(p);
    T* delta = panel(buffers.delta, p, batch);
    if (hidden.is_residual) {
      copy_panel(delta, panel(buffers.output_delta, p, batch), batch);
    }
    const bool drops = hidden.dropout > 0.0;
    if (is_training && drops) multiply_mask(k, p, delta, batch);
    const T* value =
        panel(hidden.is_residual || drops ? buffers.activated : buffers.output,
              p, batch);
    const T* z =
        hidden.activation.needs_input() ? panel(buffers.z, p, batch) : value;
    hidden.activation.visit([&](auto f) HWY_ATTR {
      for_each_run(vectors, batch.size,
                   [&](std::size_t at, std::size_t count) HWY_ATTR {
                     multiply_derivative<decltype(f)>(z + at, value + at, count,
                                                      delta + at);
                   });
    });
    if (hidden.has_batch_norm) finish_normalised(k, p, batch, gradient);
  }

  void finish_normalised(std::size_t k, std::size_t p, GeneralBatch<T>& batch,
                         T* gradient) const {
    auto& buffers = batch.layers[k];
    const GeneralPanels<T>& rows = layers_[k].outputs();
    const T* scales = layers_[k].scales(p);
    const T* inverse = buffers.inverse_deviation.data() + p * kGeneralRows<T>;
    T* delta = panel(buffers.delta, p, batch);
    if (frozen_[k]) {
      return scale_delta(scales, inverse, rows.vectors_of(p), batch.size,
                         delta);
    }
    alignas(64) T shift_sum[kGeneralRows<T>];
    alignas(64) T scale_sum[kGeneralRows<T>];
    normalise_delta(scales, inverse, panel(buffers.normalised, p, batch),
                    rows.vectors_of(p), batch.size, delta, shift_sum,
                    scale_sum);
    const std::size_t first = p * kGeneralRows<T>;
    std::copy_n(shift_sum, rows.rows_of(p),
                gradient + topology_.shift_offset(index(k)) + first);
    std::copy_n(scale_sum, rows.rows_of(p),
                gradient + topology_.scale_offset(index(k)) + first);
  }

  void add_products(std::size_t k, std::size_t p, std::size_t first_input,
                    std::size_t end_input, bool is_first,
                    const GeneralBatch<T>& batch, const T* delta, T* to) const {
    const GeneralLayer<T>& layer = layers_[k];
    const std::size_t stride = layer.outputs().rows();
    for (std::size_t i = first_input; i < end_input; ++i) {
      multiply_instances(
          GradientProduct<T>{
              batch.size, delta,
              batch.input_of(k) + GeneralPanels<T>::offset(i, batch.columns),
              to + i * kGeneralRows<T> * stride + p * kGeneralRows<T>,
              layer.outputs().rows_of(p), stride, is_first},
          layer.inputs().rows_of(i));
    }
  }

  using Panels = GeneralPanels<T>;

  Topology topology_;
  FrozenLayers frozen_;  // [num_layers]
  std::size_t lowest_ = 0;
  std::vector<GeneralLayer<T>> layers_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
