// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Packs the weights of one affine layer for the kernels.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_PACKED_LAYER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_PACKED_LAYER_INL_HPP
#undef MLP_CPU_TILES_PACKED_LAYER_INL_HPP
#else
#define MLP_CPU_TILES_PACKED_LAYER_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// The passes for which weights are packed.
enum class Passes { kForward, kForwardAndBackward };

/// The sizes of an affine layer, and its weights in the order of the kernels.
///
/// The weights are packed once per evaluation.
template <typename T>
class PackedLayer {
 public:
  PackedLayer(const Topology& topology, Index k, Passes passes)
      : inputs_(static_cast<std::size_t>(topology.input_size(k))),
        outputs_(static_cast<std::size_t>(topology.output_size(k))),
        offset_(static_cast<std::size_t>(topology.weight_offset(k))),
        has_backward_(k > 0 && passes == Passes::kForwardAndBackward),
        forward_(outputs_.count() * kPanelRows<T> * inputs_.rows()),
        backward_(has_backward_
                      ? inputs_.count() * kPanelRows<T> * outputs_.rows()
                      : 0),
        biases_(outputs_.count() * kPanelRows<T>) {}

  [[nodiscard]] const Panels<T>& inputs() const { return inputs_; }
  [[nodiscard]] const Panels<T>& outputs() const { return outputs_; }

  /// Returns the offset of this layer in a flat vector.
  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// Returns panel p of W, column after column   [vectors x inputs].
  [[nodiscard]] const T* forward(std::size_t p) const {
    return forward_.data() + p * kPanelRows<T> * inputs_.rows();
  }

  /// Returns panel p of W^T  [vectors x outputs]. It does not exist for the
  /// first layer, nor if the layer is packed for the forward pass only.
  [[nodiscard]] const T* backward(std::size_t p) const {
    return backward_.data() + p * kPanelRows<T> * outputs_.rows();
  }

  /// Returns the biases of panel p.
  [[nodiscard]] const T* biases(std::size_t p) const {
    return biases_.data() + p * kPanelRows<T>;
  }

  /// Returns the number of pieces of set_weights().
  [[nodiscard]] std::size_t num_pieces() const {
    return outputs_.count() + (has_backward_ ? inputs_.count() : 0);
  }

  /// Packs one piece of the weights of this layer.
  ///
  /// \param flat  [topology.num_weights()]
  void set_weights(const double* flat, std::size_t piece) {
    const double* w = flat + offset_;
    if (piece < outputs_.count()) {
      pack_outputs(w, piece);
    } else {
      pack_inputs(w, piece - outputs_.count());
    }
  }

 private:
  /// Packs rows of W and their biases.
  void pack_outputs(const double* w, std::size_t p) {
    const std::size_t rows = outputs_.rows_of(p);
    const std::size_t stride = outputs_.vectors_of(p) * kLanes<T>;
    const double* from = w + p * kPanelRows<T>;
    T* to = forward_.data() + p * kPanelRows<T> * inputs_.rows();
    for (std::size_t k = 0; k < inputs_.rows(); ++k) {
      for (std::size_t i = 0; i < rows; ++i) to[i] = static_cast<T>(from[i]);
      from += outputs_.rows();
      to += stride;
    }
    from = w + outputs_.rows() * inputs_.rows() + p * kPanelRows<T>;
    to = biases_.data() + p * kPanelRows<T>;
    for (std::size_t i = 0; i < rows; ++i) to[i] = static_cast<T>(from[i]);
  }

  /// Packs columns of W.
  void pack_inputs(const double* w, std::size_t p) {
    const std::size_t rows = inputs_.rows_of(p);
    const std::size_t stride = inputs_.vectors_of(p) * kLanes<T>;
    const double* from = w + p * kPanelRows<T> * outputs_.rows();
    T* to = backward_.data() + p * kPanelRows<T> * outputs_.rows();
    for (std::size_t k = 0; k < outputs_.rows(); ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        to[i] = static_cast<T>(from[i * outputs_.rows() + k]);
      }
      to += stride;
    }
  }

  Panels<T> inputs_;
  Panels<T> outputs_;
  std::size_t offset_;
  bool has_backward_;
  AlignedArray<T> forward_;
  AlignedArray<T> backward_;
  AlignedArray<T> biases_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
