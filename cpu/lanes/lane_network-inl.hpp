// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_NETWORK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_NETWORK_INL_HPP
#undef MLP_CPU_LANES_LANE_NETWORK_INL_HPP
#else
#define MLP_CPU_LANES_LANE_NETWORK_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../mlp/network/topology.hpp"
#include "../base/activation-inl.hpp"
#include "../base/panels-inl.hpp"
#include "lane_product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes a = f(z) in place, for rows that are kLaneTile apart.
template <class F, typename T>
HWY_INLINE void activate_rows(std::size_t num_rows, std::size_t size, T* z) {
  for (std::size_t i = 0; i < num_rows; ++i, z += kLaneTile<T>) {
    apply_activation<F>(z, size, z);
  }
}

/// The same for any activation. The sigmoid is the most frequent, and a call
/// takes as long as some vectors.
template <typename T>
HWY_NOINLINE void activate_rows(Activation activation, std::size_t num_rows,
                                std::size_t size, T* z) {
  activation.visit(
      [&](auto f) HWY_ATTR { activate_rows<decltype(f)>(num_rows, size, z); });
}

/// Computes the layers of a small network, with several instances per vector.
///
/// Units are neither packed nor padded. The caller provides one matrix for the
/// values of all layers [num_rows x kLaneTile]: features first, and one more
/// row after each layer. The evaluator fills it with ones as the input of the
/// biases.
template <typename T>
class LaneNetwork {
 public:
  /// Largest number of units of a layer.
  static constexpr std::size_t kMaxWidth = 16;

  /// Returns true if every layer is small enough to be fastest in this form.
  static bool fits(const Topology& topology) {
    const auto& layers = topology.layers();
    return *std::max_element(layers.begin(), layers.end()) <=
           static_cast<Index>(kMaxWidth);
  }

  explicit LaneNetwork(const Topology& topology)
      : topology_(topology),
        weights_(static_cast<std::size_t>(topology.num_weights())) {
    for (const Index size : topology.layers()) {
      first_rows_.push_back(num_rows_);
      widths_.push_back(static_cast<std::size_t>(size));
      num_rows_ += static_cast<std::size_t>(size) + 1;
    }
    for (Index k = 0; k < topology.num_layers(); ++k) {
      offsets_.push_back(static_cast<std::size_t>(topology.weight_offset(k)));
    }
  }

  /// \param weights  [topology.num_weights()]; may be destroyed afterwards
  void set_weights(const double* weights) {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = static_cast<T>(weights[i]);
    }
  }

  [[nodiscard]] std::size_t num_layers() const { return offsets_.size(); }
  [[nodiscard]] std::size_t num_rows() const { return num_rows_; }
  [[nodiscard]] std::size_t num_weights() const { return weights_.size(); }
  [[nodiscard]] std::size_t inputs(std::size_t k) const { return widths_[k]; }
  [[nodiscard]] std::size_t outputs(std::size_t k) const {
    return widths_[k + 1];
  }

  /// Returns the offset of layer k in a flat vector, and its weights.
  [[nodiscard]] std::size_t offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] const T* weights(std::size_t k) const {
    return weights_.data() + offsets_[k];
  }

  /// Returns the inputs of layer k. k = num_layers() gives the last outputs.
  [[nodiscard]] T* rows(std::size_t k, T* units) const {
    return units + first_rows_[k] * kLaneTile<T>;
  }

  /// What a backward pass needs beside the outputs, with their layout; null if
  /// no layer needs it.
  struct Kept {
    T* z = nullptr;          ///< if a derivative needs it
    T* activated = nullptr;  ///< f(z) of residual layers
  };

  /// Computes the outputs of the first num_layers layers. The last layer of the
  /// network computes z, the input of the softmax.
  ///
  /// \param      features  [num_features x kLaneTile]
  /// \param      size      number of instances, a multiple of kChains
  /// \param[out] units     [num_rows x kLaneTile]
  HWY_INLINE void forward(const T* features, std::size_t num_layers,
                          std::size_t size, T* units,
                          const Kept& kept = {}) const {
    for (std::size_t k = 0; k < num_layers; ++k) {
      const T* w = weights(k);
      const T* x = k == 0 ? features : rows(k, units);
      T* z = rows(k + 1, units);
      multiply_lanes<LaneStart::kBiases, T>(
          {w, 1, outputs(k), w + outputs(k) * inputs(k)}, outputs(k), inputs(k),
          size / kLanes<T>, x, z);
      if (k + 1 == offsets_.size()) return;
      const HiddenLayer& hidden = topology_.hidden(static_cast<Index>(k));
      if (kept.z) copy_rows(z, outputs(k), size, rows(k + 1, kept.z));
      if (hidden.activation == Activation{}) {
        activate_rows<activations::Sigmoid>(outputs(k), size, z);
      } else {
        activate_rows(hidden.activation, outputs(k), size, z);
      }
      if (!hidden.is_residual) continue;
      if (kept.activated) {
        copy_rows(z, outputs(k), size, rows(k + 1, kept.activated));
      }
      add_skip(k, x, size, z);
    }
  }

  /// Computes d loss / d x of layer k.
  ///
  /// \param      delta         d loss / d (W x + b)      [outputs x kLaneTile]
  /// \param      output_delta  d loss / d y of a residual layer
  /// \param[out] previous      [inputs x kLaneTile]
  HWY_INLINE void backward(std::size_t k, std::size_t size, const T* delta,
                           const T* output_delta, T* previous) const {
    const auto layer = static_cast<Index>(k);
    const std::size_t vectors = size / kLanes<T>;
    multiply_lanes<LaneStart::kBiases, T>({weights(k), outputs(k), 1, nullptr},
                                          inputs(k), outputs(k), vectors, delta,
                                          previous);
    if (topology_.has_projection(layer)) {
      multiply_lanes<LaneStart::kResult, T>(
          {projection(k), outputs(k), 1, nullptr}, inputs(k), outputs(k),
          vectors, output_delta, previous);
    } else if (topology_.is_residual(layer)) {
      add_rows(output_delta, inputs(k), size, previous);
    }
  }

  /// Copies rows that are kLaneTile apart.
  static void copy_rows(const T* from, std::size_t num_rows, std::size_t size,
                        T* to) {
    for (std::size_t i = 0; i < num_rows * kLaneTile<T>; i += kLaneTile<T>) {
      std::copy_n(from + i, size, to + i);
    }
  }

 private:
  [[nodiscard]] const T* projection(std::size_t k) const {
    return weights_.data() + topology_.projection_offset(static_cast<Index>(k));
  }

  /// Computes y += x or y += P x.
  void add_skip(std::size_t k, const T* x, std::size_t size, T* y) const {
    if (!topology_.has_projection(static_cast<Index>(k))) {
      return add_rows(x, outputs(k), size, y);
    }
    multiply_lanes<LaneStart::kResult, T>(
        {projection(k), 1, outputs(k), nullptr}, outputs(k), inputs(k),
        size / kLanes<T>, x, y);
  }

  static void add_rows(const T* from, std::size_t num_rows, std::size_t size,
                       T* to) {
    const Tag<T> d;
    for (std::size_t i = 0; i < num_rows * kLaneTile<T>; i += kLaneTile<T>) {
      for (std::size_t j = i; j < i + size; j += kLanes<T>) {
        hn::Store(hn::Add(hn::Load(d, to + j), hn::Load(d, from + j)), d,
                  to + j);
      }
    }
  }

  Topology topology_;
  std::vector<T> weights_;               // in Spark's flat order
  std::vector<std::size_t> widths_;      // of each layer, features first
  std::vector<std::size_t> first_rows_;  // first row of each layer
  std::vector<std::size_t> offsets_;     // of each layer in weights_
  std::size_t num_rows_ = 0;             // of all layers
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
