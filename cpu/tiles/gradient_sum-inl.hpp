// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_GRADIENT_SUM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#undef MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#else
#define MLP_CPU_TILES_GRADIENT_SUM_INL_HPP
#endif

#include <hwy/highway.h>

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
  struct NextTile {
    const T* inputs = nullptr;
    const T* deltas = nullptr;
  };

  /// Adds the share of a tile. The sum of db is computed with the first inputs.
  void add(const Network<T>& network, const Tile<T>& tile, bool has_nonzeros,
           const NextTile& next = {}) {
    for (std::size_t i = inputs_.begin; i < inputs_.end; ++i) {
      for (std::size_t o = outputs_.begin; o < outputs_.end; ++o) {
        share_of(next.deltas, o, i, inputs_).fetch(kPanelLines);
        network.add_weight_gradient(k_, i, o, tile, has_nonzeros, at(i, o),
                                    share_of(next.inputs, i, o, outputs_));
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
      const std::size_t rows = layer_->inputs().rows_of(p);
      const std::size_t whole_rows = rows / kSide * kSide;
      const std::size_t whole_columns = count / kSide * kSide;
      for (std::size_t i = 0; i < whole_rows; i += kSide) {
        for (std::size_t o = 0; o < whole_columns; o += kSide) {
          add_square(sum + o * kPanelRows<T> + i, to + i * num_outputs + o,
                     num_outputs);
        }
      }
      for (std::size_t i = 0; i < rows; ++i) {
        std::size_t o = i < whole_rows ? whole_columns : 0;
        for (; o < count; ++o) {
          to[i * num_outputs + o] +=
              static_cast<double>(sum[o * kPanelRows<T> + i]);
        }
      }
    }
    if (inputs_.begin > 0) return;
    double* to = slice + layer_->inputs().rows() * num_outputs;
    for (std::size_t o = 0; o < count; ++o) {
      to[o] += static_cast<double>(biases_.data()[o]);
    }
  }

 private:
  /// Side of the squares that add_square() transposes.
  static constexpr std::size_t kSide = kLanes<double> >= 4 ? 4 : 1;

  /// Adds the transpose of a square of dW^T.
  ///
  /// \param         sum     columns kPanelRows apart
  /// \param[in,out] to      rows stride apart
  static HWY_INLINE void add_square(const T* sum, double* to,
                                    std::size_t stride) {
#if HWY_TARGET == HWY_SCALAR
    *to += static_cast<double>(*sum);
    static_cast<void>(stride);
#else
    if constexpr (kSide == 1) {
      *to += static_cast<double>(*sum);
    } else {
      const hn::CappedTag<double, 4> d;
      const hn::Rebind<T, decltype(d)> from_d;
      const auto column = [&](std::size_t o) HWY_ATTR {
        const auto numbers = hn::LoadU(from_d, sum + o * kPanelRows<T>);
        if constexpr (sizeof(T) == sizeof(double)) {
          return numbers;
        } else {
          return hn::PromoteTo(d, numbers);
        }
      };
      const auto add = [&](std::size_t i, auto row) HWY_ATTR {
        hn::StoreU(hn::Add(hn::LoadU(d, to + i * stride), row), d,
                   to + i * stride);
      };
      const auto c0 = column(0);
      const auto c1 = column(1);
      const auto c2 = column(2);
      const auto c3 = column(3);
      const auto even01 = hn::InterleaveLower(d, c0, c1);
      const auto even23 = hn::InterleaveLower(d, c2, c3);
      const auto odd01 = hn::InterleaveUpper(d, c0, c1);
      const auto odd23 = hn::InterleaveUpper(d, c2, c3);
      add(0, hn::ConcatLowerLower(d, even23, even01));
      add(1, hn::ConcatLowerLower(d, odd23, odd01));
      add(2, hn::ConcatUpperUpper(d, even23, even01));
      add(3, hn::ConcatUpperUpper(d, odd23, odd01));
    }
#endif
  }

  /// All lines of a panel of a tile.
  static constexpr std::size_t kPanelLines =
      kPanelRows<T> * kTileSize * sizeof(T) / 64;

  /// Returns one share of a panel. There is one share for each product that uses
  /// the panel.
  [[nodiscard]] static Ahead share_of(const T* panels, std::size_t panel,
                                      std::size_t share, const Range& shares) {
    if (!panels) return {};
    const Ahead whole(panels + Panels<T>::offset(panel, kTileSize),
                      kPanelRows<T> * kTileSize);
    return whole.share(share - shares.begin, share - shares.begin + 1,
                       shares.end - shares.begin);
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
