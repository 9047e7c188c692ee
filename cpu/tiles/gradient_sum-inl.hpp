// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_GRADIENT_SUM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#undef MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#else
#define MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"
#include "network-inl.hpp"
#include "tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// A running sum of dW^T and db for a rectangle of panels of one layer.
///
/// The rectangle consists of some panels of inputs by some panels of outputs.
template <typename T>
class GradientSum {
 public:
  /// A range of consecutive panels.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  /// Allocates memory for a rectangle of this size.
  GradientSum(std::size_t num_input_panels, std::size_t num_output_panels)
      : weights_(num_input_panels * num_output_panels * kPanelRows<T> *
                 kPanelRows<T>),
        biases_(num_output_panels * kPanelRows<T>) {}

  /// Starts a sum at zero.
  void clear(const PackedLayer<T>& layer, std::size_t k, Range inputs,
             Range outputs) {
    layer_ = &layer;
    k_ = k;
    inputs_ = inputs;
    outputs_ = outputs;
    const std::size_t columns = (outputs.end - outputs.begin) * kPanelRows<T>;
    std::fill_n(weights_.data(),
                (inputs.end - inputs.begin) * columns * kPanelRows<T>, T{0});
    std::fill_n(biases_.data(), columns, T{0});
  }

  /// The operands of the next tile. They are prefetched from memory while this
  /// tile is computed. Null for none.
  struct Ahead {
    const T* inputs = nullptr;
    const T* deltas = nullptr;
  };

  /// Adds the share of a tile. The sum of db is computed with the first inputs.
  void add(const Network<T>& network, const Tile<T>& tile, bool has_nonzeros,
           const Ahead& ahead = {}) {
    for (std::size_t i = inputs_.begin; i < inputs_.end; ++i) {
      for (std::size_t o = outputs_.begin; o < outputs_.end; ++o) {
        fetch_share(ahead.inputs, i, o, outputs_);
        fetch_share(ahead.deltas, o, i, inputs_);
        network.add_weight_gradient(k_, i, o, tile, has_nonzeros, at(i, o));
      }
    }
    if (inputs_.begin > 0) return;
    for (std::size_t o = outputs_.begin; o < outputs_.end; ++o) {
      network.add_bias_gradient(
          k_, o, tile, biases_.data() + (o - outputs_.begin) * kPanelRows<T>);
    }
  }

  /// Adds the sum to a flat gradient.
  void add_to(double* gradient) const {
    const std::size_t num_outputs = layer_->outputs().rows();
    const std::size_t first = outputs_.begin * kPanelRows<T>;
    const std::size_t count =
        std::min(outputs_.end * kPanelRows<T>, num_outputs) - first;
    double* slice = gradient + layer_->offset() + first;
    for (std::size_t p = inputs_.begin; p < inputs_.end; ++p) {
      const T* sum = at(p, outputs_.begin);
      double* to = slice + p * kPanelRows<T> * num_outputs;
      for (std::size_t i = 0; i < layer_->inputs().rows_of(p); ++i) {
        for (std::size_t o = 0; o < count; ++o) {
          to[o] += static_cast<double>(sum[o * kPanelRows<T> + i]);
        }
        to += num_outputs;
      }
    }
    if (inputs_.begin > 0) return;
    double* to = slice + layer_->inputs().rows() * num_outputs;
    for (std::size_t o = 0; o < count; ++o) {
      to[o] += static_cast<double>(biases_.data()[o]);
    }
  }

 private:
  /// Prefetches one share of a panel. There is one share for each product that
  /// uses the panel.
  static void fetch_share(const T* panels, std::size_t panel, std::size_t share,
                          const Range& shares) {
    if (!panels) return;
    constexpr std::size_t kSize = kPanelRows<T> * kTileSize;
    constexpr std::size_t kLine = 64 / sizeof(T);
    const T* from = panels + Panels<T>::offset(panel, kTileSize);
    const std::size_t count = shares.end - shares.begin;
    const std::size_t end = kSize * (share - shares.begin + 1) / count;
    std::size_t i = kSize * (share - shares.begin) / count;
    for (; i < end; i += kLine) hwy::Prefetch(from + i);
  }

  /// Returns dW^T of a panel of inputs and one of outputs, column after column.
  [[nodiscard]] T* at(std::size_t input_panel, std::size_t output_panel) const {
    const std::size_t width = outputs_.end - outputs_.begin;
    return weights_.data() + ((input_panel - inputs_.begin) * width +
                              (output_panel - outputs_.begin)) *
                                 kPanelRows<T> * kPanelRows<T>;
  }

  AlignedArray<T> weights_;
  AlignedArray<T> biases_;
  const PackedLayer<T>* layer_ = nullptr;
  std::size_t k_ = 0;
  Range inputs_{0, 0};
  Range outputs_{0, 0};
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
