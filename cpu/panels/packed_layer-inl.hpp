// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Packs the weights of one layer for the kernels.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_PACKED_LAYER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_PACKED_LAYER_INL_HPP
#undef MLP_CPU_PANELS_PACKED_LAYER_INL_HPP
#else
#define MLP_CPU_PANELS_PACKED_LAYER_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sizes of a layer, and its weights in the order of the kernels.
///
/// The weights are packed once per evaluation. A packed matrix is panel after
/// panel, each column after column in whole vectors.
template <typename T>
class PackedLayer {
 public:
  /// \param has_backward  true if d loss / d x of the layer is computed
  PackedLayer(const Topology& topology, Index k, bool has_backward)
      : inputs_(static_cast<std::size_t>(topology.input_size(k))),
        outputs_(static_cast<std::size_t>(topology.output_size(k))),
        offsets_{topology.weight_offset(k), topology.bias_offset(k),
                 topology.projection_offset(k), topology.scale_offset(k),
                 topology.shift_offset(k)},
        has_backward_(has_backward),
        has_projection_(topology.has_projection(k)),
        has_batch_norm_(topology.has_batch_norm(k)),
        weights_(outputs_.size(inputs_.rows())),
        projection_(has_projection_ ? outputs_.size(inputs_.rows()) : 0),
        transposed_(has_backward ? inputs_.size(outputs_.rows()) : 0),
        transposed_projection_(has_backward && has_projection_
                                   ? inputs_.size(outputs_.rows())
                                   : 0),
        biases_(outputs_.size(1)),
        scales_(has_batch_norm_ ? outputs_.size(1) : 0),
        shifts_(has_batch_norm_ ? outputs_.size(1) : 0) {}

  [[nodiscard]] const Panels<T>& inputs() const { return inputs_; }
  [[nodiscard]] const Panels<T>& outputs() const { return outputs_; }
  [[nodiscard]] bool has_projection() const { return has_projection_; }

  /// Returns the offsets of this layer in a flat vector.
  [[nodiscard]] Index weight_offset() const { return offsets_.weights; }
  [[nodiscard]] Index bias_offset() const { return offsets_.biases; }
  [[nodiscard]] Index projection_offset() const { return offsets_.projection; }

  /// Returns packed W, and P if the layer has a projection [outputs x inputs].
  [[nodiscard]] const T* weights() const { return weights_.data(); }
  [[nodiscard]] const T* projection() const { return projection_.data(); }

  /// Returns packed W^T and P^T [inputs x outputs], if the layer has a backward
  /// pass.
  [[nodiscard]] const T* transposed() const { return transposed_.data(); }
  [[nodiscard]] const T* transposed_projection() const {
    return transposed_projection_.data();
  }

  /// Returns the biases, and the scales and shifts of batch normalisation
  /// [outputs].
  [[nodiscard]] const T* biases() const { return biases_.data(); }
  [[nodiscard]] const T* scales() const { return scales_.data(); }
  [[nodiscard]] const T* shifts() const { return shifts_.data(); }

  /// Returns the number of pieces of set_weights().
  [[nodiscard]] std::size_t num_pieces() const {
    return outputs_.count() + (has_backward_ ? inputs_.count() : 0);
  }

  /// Packs one piece of the weights of this layer.
  ///
  /// \param flat  [topology.num_weights()]
  void set_weights(const double* flat, std::size_t piece) {
    if (piece < outputs_.count()) {
      pack_outputs(flat, piece);
    } else {
      pack_inputs(flat, piece - outputs_.count());
    }
  }

  /// Packs the weights that compute panel p of the outputs.
  template <typename Number>
  void pack_outputs(const Number* flat, std::size_t p) {
    pack_rows(flat + offsets_.weights, p, weights_);
    if (has_projection_) pack_rows(flat + offsets_.projection, p, projection_);
    pack_units(flat + offsets_.biases, p, biases_);
    if (!has_batch_norm_) return;
    pack_units(flat + offsets_.scales, p, scales_);
    pack_units(flat + offsets_.shifts, p, shifts_);
  }

  /// Packs the weights that compute panel p of d loss / d x.
  template <typename Number>
  void pack_inputs(const Number* flat, std::size_t p) {
    pack_columns(flat + offsets_.weights, p, transposed_);
    if (!has_projection_) return;
    pack_columns(flat + offsets_.projection, p, transposed_projection_);
  }

 private:
  struct Offsets {
    Index weights, biases, projection, scales, shifts;
  };

  template <typename Number>
  static void copy(const Number* from, std::size_t count, T* to) {
    if constexpr (std::is_same_v<Number, T>) {
      if (count == kPanelRows<T>) {
        const Tag<T> d;
        for (std::size_t i = 0; i < kPanelRows<T>; i += kLanes<T>) {
          hn::Store(hn::LoadU(d, from + i), d, to + i);
        }
        return;
      }
    }
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
  }

  template <typename Number>
  void pack_rows(const Number* from, std::size_t p,
                 const AlignedArray<T>& to_all) const {
    const std::size_t rows = outputs_.rows_of(p);
    const std::size_t stride = outputs_.vectors_of(p) * kLanes<T>;
    T* to = to_all.data() + Panels<T>::offset(p, inputs_.rows());
    from += p * kPanelRows<T>;
    for (std::size_t k = 0; k < inputs_.rows(); ++k) {
      copy(from, rows, to);
      from += outputs_.rows();
      to += stride;
    }
  }

  template <typename Number>
  void pack_units(const Number* from, std::size_t p,
                  const AlignedArray<T>& to) const {
    copy(from + p * kPanelRows<T>, outputs_.rows_of(p),
         to.data() + p * kPanelRows<T>);
  }

  /// Packs some outputs at a time, so that the memory read and the memory
  /// written both stay in the first level cache.
  template <typename Number>
  void pack_columns(const Number* from, std::size_t p,
                    const AlignedArray<T>& to_all) const {
    constexpr std::size_t kTogether = 64;
    const std::size_t rows = inputs_.rows_of(p);
    const std::size_t stride = inputs_.vectors_of(p) * kLanes<T>;
    const std::size_t outputs = outputs_.rows();
    T* to = to_all.data() + Panels<T>::offset(p, outputs);
    from += p * kPanelRows<T> * outputs;
    for (std::size_t first = 0; first < outputs; first += kTogether) {
      const std::size_t end = std::min(first + kTogether, outputs);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = first; k < end; ++k) {
          to[k * stride + i] = static_cast<T>(from[i * outputs + k]);
        }
      }
    }
  }

  Panels<T> inputs_;
  Panels<T> outputs_;
  Offsets offsets_;
  bool has_backward_;
  bool has_projection_;
  bool has_batch_norm_;
  AlignedArray<T> weights_;
  AlignedArray<T> projection_;
  AlignedArray<T> transposed_;
  AlignedArray<T> transposed_projection_;
  AlignedArray<T> biases_;
  AlignedArray<T> scales_;
  AlignedArray<T> shifts_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
