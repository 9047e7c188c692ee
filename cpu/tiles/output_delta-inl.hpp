// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_OUTPUT_DELTA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_OUTPUT_DELTA_INL_HPP
#undef MLP_CPU_TILES_OUTPUT_DELTA_INL_HPP
#else
#define MLP_CPU_TILES_OUTPUT_DELTA_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "../../activations/sigmoid.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/exp-inl.hpp"
#include "../base/panels-inl.hpp"
#include "tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Computes deltas and loss from the outputs of the last layer of a tile.
///
/// It always computes in double precision.
template <typename T>
class OutputDelta {
 public:
  explicit OutputDelta(const Topology& topology)
      : loss_(topology.loss()),
        rows_(static_cast<std::size_t>(topology.num_classes())),
        stride_((rows_.rows() + kLanes<double> - 1) / kLanes<double> *
                kLanes<double>),
        numbers_(stride_ * kTileSize) {}

  /// \param instances  the instances of the tile
  /// \return sum over the instances of weight times loss
  double compute(const InstanceRange& instances, Tile<T>& tile) const {
    copy<false>(tile);
    const double loss = loss_ == Loss::kSigmoidSquaredError
                            ? squared_error(instances)
                            : softmax_nll(instances, tile.size());
    copy<true>(tile);
    return loss;
  }

  /// Subtracts the largest z (mlp/network/loss_formulas.hpp). NaN is never the
  /// largest.
  static void subtract_largest(double* z, std::size_t num_classes) {
    double largest = std::numeric_limits<double>::lowest();
    for (std::size_t i = 0; i < num_classes; ++i) {
      if (z[i] > largest) largest = z[i];
    }
    for (std::size_t i = 0; i < num_classes; ++i) z[i] -= largest;
  }

  /// Turns exp(z - largest) of one instance into weight (p - t).
  ///
  /// \return weight times loss, NaN if a probability other than the label's is
  ///         not above 0 (mlp/network/loss_formulas.hpp); 0 for a weight of 0
  static double softmax_delta(double* e, std::size_t num_classes,
                              std::size_t label, double weight) {
    if (weight == 0.0) {
      std::fill_n(e, num_classes, 0.0);
      return 0.0;
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < num_classes; ++i) sum += e[i];
    bool is_number = true;
    double of_label = 0.0;
    for (std::size_t i = 0; i < num_classes; ++i) {
      const double p = e[i] / sum;
      if (i == label) of_label = p;
      is_number = is_number && (i == label || p > 0.0);
      e[i] = weight * (i == label ? p - 1.0 : p);
    }
    return is_number ? weight * -std::log(of_label)
                     : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  /// Copies the outputs of the tile to numbers_, or the deltas back.
  template <bool kIsBack>
  void copy(Tile<T>& tile) const {
    const T* from = tile.outputs.back().data();
    T* to = tile.deltas.back().data();
    for (std::size_t j = 0; j < tile.size(); ++j) {
      double* number = numbers_.data() + j * stride_;
      for (std::size_t p = 0; p < rows_.count(); ++p) {
        const std::size_t at =
            Panels<T>::offset(p, kTileSize) + j * kPanelRows<T>;
        for (std::size_t i = 0; i < rows_.rows_of(p); ++i, ++number) {
          if constexpr (kIsBack) {
            to[at + i] = static_cast<T>(*number);
          } else {
            *number = static_cast<double>(from[at + i]);
          }
        }
      }
    }
  }

  double softmax_nll(const InstanceRange& instances, std::size_t size) const {
    const std::size_t num_classes = rows_.rows();
    for (std::size_t j = 0; j < size; ++j) {
      subtract_largest(numbers_.data() + j * stride_, num_classes);
    }
    const Tag<double> d;
    for (std::size_t i = 0; i < stride_ * size; i += kLanes<double>) {
      double* at = numbers_.data() + i;
      hn::Store(exponential(d, hn::Load(d, at)), d, at);
    }
    double loss = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      loss += softmax_delta(numbers_.data() + j * stride_, num_classes,
                            static_cast<std::size_t>(instances.labels[j]),
                            instances.weights[j]);
    }
    return loss;
  }

  /// Turns z of sigmoid outputs into weight (o - t) (o - o o).
  double squared_error(const InstanceRange& instances) const {
    double loss = 0.0;
    for (Index j = 0; j < instances.size; ++j) {
      const auto num_outputs = static_cast<Index>(rows_.rows());
      const double* target = instances.targets + j * num_outputs;
      double* z = numbers_.data() + static_cast<std::size_t>(j) * stride_;
      if (instances.weights[j] == 0.0) {
        std::fill_n(z, num_outputs, 0.0);
        continue;
      }
      double sum = 0.0;
      for (Index o = 0; o < num_outputs; ++o) {
        const double output = activations::Sigmoid::value(z[o]);
        const double difference = output - target[o];
        sum += difference * difference;
        z[o] = instances.weights[j] * difference * (output - output * output);
      }
      loss += instances.weights[j] * sum / 2.0;
    }
    return loss;
  }

  Loss loss_;
  Panels<T> rows_;
  std::size_t stride_;
  AlignedArray<double> numbers_;  // [stride x kTileSize]
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
