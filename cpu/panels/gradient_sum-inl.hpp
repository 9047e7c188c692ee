// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_GRADIENT_SUM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_GRADIENT_SUM_INL_HPP
#undef MLP_CPU_PANELS_GRADIENT_SUM_INL_HPP
#else
#define MLP_CPU_PANELS_GRADIENT_SUM_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"
#include "../base/prefetch-inl.hpp"
#include "gradient_product-inl.hpp"
#include "layer_values-inl.hpp"
#include "packed_layer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// A running sum of dW^T, dP^T and db for a rectangle of panels of one layer.
///
/// The rectangle consists of some panels of inputs by some panels of outputs.
template <typename T>
class GradientSum {
 public:
  /// Allocates memory for a rectangle of this size.
  GradientSum(std::size_t num_input_panels, std::size_t num_output_panels,
              bool has_projection)
      : weights_(num_input_panels * num_output_panels * kPanelSquare),
        projection_(has_projection
                        ? AlignedArray<T>(num_input_panels * num_output_panels *
                                          kPanelSquare)
                        : AlignedArray<T>()),
        biases_(num_output_panels * kPanelRows<T>) {}

  /// Starts a sum at zero. The first tile overwrites what is there.
  void start(const PackedLayer<T>& layer, std::size_t k, Range inputs,
             Range outputs) {
    layer_ = &layer;
    k_ = k;
    inputs_ = inputs;
    outputs_ = outputs;
    is_zero_ = true;
    std::fill_n(biases_.data(), outputs.size() * kPanelRows<T>, T{0});
  }

  /// The operands of the next tile. They are prefetched from memory while this
  /// tile is computed. Null for none.
  struct NextTile {
    const T* inputs = nullptr;
    const T* deltas = nullptr;
  };

  /// Adds the share of a tile. The sum of db is computed with the first inputs.
  ///
  /// \param has_nonzeros  true to skip the zeros of the first layer's input; the same in
  ///                      all calls since start()
  void add(const LayerValues<T>& values, bool has_nonzeros,
           const NextTile& next = {}) {
    skips_zeros_ = k_ == 0 && has_nonzeros;
    if (is_zero_) {
      add_products<Start::kZero>(values, next);
    } else {
      add_products<Start::kResult>(values, next);
    }
    is_zero_ = false;
    if (inputs_.begin > 0) return;
    for (std::size_t o = outputs_.begin; o < outputs_.end; ++o) {
      add_deltas(values.panel(values.layers[k_].delta, o),
                 layer_->outputs().vectors_of(o), values.size(),
                 biases_.data() + (o - outputs_.begin) * kPanelRows<T>);
    }
  }

  /// Writes the sum to a flat gradient: adds it, or replaces what is there.
  ///
  /// \pre add() was called since start()
  template <Write kWrite>
  void write_to(double* gradient) const {
    const std::size_t stride = layer_->outputs().rows();
    const std::size_t first = outputs_.begin * kPanelRows<T>;
    const std::size_t count =
        std::min(outputs_.end * kPanelRows<T>, stride) - first;
    for (std::size_t i = inputs_.begin; i < inputs_.end; ++i) {
      const std::size_t rows = layer_->inputs().rows_of(i);
      const std::size_t to = i * kPanelRows<T> * stride + first;
      const std::size_t from = place(i, outputs_.begin);
      double* const weights = gradient + layer_->weight_offset() + to;
      if (skips_zeros_) {
        for (std::size_t o = 0; o < count; o += kPanelRows<T>) {
          write_columns<kWrite>(weights_.data() + from + o * kPanelRows<T>,
                                rows, std::min(kPanelRows<T>, count - o),
                                weights + o, stride);
        }
      } else {
        write_transpose<kWrite>(weights_.data() + from, rows, count, weights,
                                stride);
      }
      if (!layer_->has_projection()) continue;
      write_transpose<kWrite>(projection_.data() + from, rows, count,
                              gradient + layer_->projection_offset() + to,
                              stride);
    }
    if (inputs_.begin > 0) return;
    double* to = gradient + layer_->bias_offset() + first;
    for (std::size_t o = 0; o < count; ++o) {
      const auto sum = static_cast<double>(biases_.data()[o]);
      to[o] = kWrite == Write::kAdd ? to[o] + sum : sum;
    }
  }

 private:
  template <Start kStart>
  void add_products(const LayerValues<T>& values, const NextTile& next) {
    const auto& deltas = values.layers[k_];
    for (std::size_t i = inputs_.begin; i < inputs_.end; ++i) {
      const T* x = values.input_of(k_) + Panels<T>::offset(i, values.columns);
      const std::size_t rows = layer_->inputs().rows_of(i);
      for (std::size_t o = outputs_.begin; o < outputs_.end; ++o) {
        const Ahead ahead = share_of(next.inputs, i, o, outputs_)
                                .and_then(share_of(next.deltas, o, i, inputs_));
        const std::size_t columns = layer_->outputs().rows_of(o);
        const GradientFactors<T> factors{x, rows, values.panel(deltas.delta, o),
                                         columns};
        T* sum = weights_.data() + place(i, o);
        if (skips_zeros_) {
          ahead.fetch_all();
          multiply_listed_instances<kStart>(factors, values.input->nonzeros, i,
                                            sum);
        } else {
          multiply_instances<kStart>(factors, values.size(), sum, ahead);
        }
        if (!layer_->has_projection()) continue;
        multiply_instances<kStart, T>(
            {x, rows, values.panel(deltas.output_delta, o), columns},
            values.size(), projection_.data() + place(i, o));
      }
    }
  }

  /// Numbers of a panel of inputs by one of outputs.
  static constexpr std::size_t kPanelSquare = kPanelRows<T> * kPanelRows<T>;

  /// Returns one share of a panel. There is one share for each product that uses
  /// the panel.
  [[nodiscard]] static Ahead share_of(const T* panels, std::size_t panel,
                                      std::size_t share, const Range& shares) {
    if (!panels) return {};
    const Ahead whole(panels + Panels<T>::offset(panel, kTileSize),
                      kPanelRows<T> * kTileSize);
    return whole.share(share - shares.begin, share - shares.begin + 1,
                       shares.size());
  }

  /// Returns where the sum of a panel of inputs and one of outputs is stored.
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t o) const {
    return ((i - inputs_.begin) * outputs_.size() + (o - outputs_.begin)) *
           kPanelSquare;
  }

  AlignedArray<T> weights_;
  AlignedArray<T> projection_;
  AlignedArray<T> biases_;
  const PackedLayer<T>* layer_ = nullptr;
  std::size_t k_ = 0;
  Range inputs_{0, 0};
  Range outputs_{0, 0};
  bool is_zero_ = true;
  bool skips_zeros_ = false;  // then the squares of weights_ are those of dW
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
