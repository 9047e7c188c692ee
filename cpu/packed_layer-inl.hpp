// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_PACKED_LAYER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PACKED_LAYER_INL_HPP
#undef MLP_CPU_PACKED_LAYER_INL_HPP
#else
#define MLP_CPU_PACKED_LAYER_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "../mlp/topology.hpp"
#include "aligned_array.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Rows are padded to this many doubles, one cache line, for every instruction
/// set: the padding is zero in the weights and ignored in the results.
constexpr std::size_t kRowPadding = 8;

/// One affine layer's sizes, and its weights in the order in which the kernels
/// read them.
struct PackedLayer {
  PackedLayer(const Topology& topology, Index k)
      : inputs(static_cast<std::size_t>(topology.input_size(k))),
        outputs(static_cast<std::size_t>(topology.output_size(k))),
        input_stride(padded(inputs)),
        output_stride(padded(outputs)),
        weight_offset(topology.weight_offset(k)),
        forward(output_stride * inputs),
        backward(k > 0 ? input_stride * outputs : 0),
        biases(output_stride),
        is_first(k == 0) {}

  /// Packs this layer's slice, once per evaluation.
  ///
  /// \param flat  [topology.num_weights()]
  void set_weights(const double* flat) {
    const double* w = flat + weight_offset;
    const std::size_t rows = outputs;
    pack(forward.data(), outputs, inputs,
         [=](std::size_t row, std::size_t k) { return w[row + rows * k]; });
    if (!is_first) {
      pack(backward.data(), inputs, outputs,
           [=](std::size_t row, std::size_t k) { return w[k + rows * row]; });
    }
    std::copy_n(w + outputs * inputs, outputs, biases.data());
  }

  std::size_t inputs;
  std::size_t outputs;
  std::size_t input_stride;   ///< inputs, padded
  std::size_t output_stride;  ///< outputs, padded
  Index weight_offset;
  AlignedArray forward;   ///< panels of W    [inputs x panel rows] each
  AlignedArray backward;  ///< panels of W^T  [outputs x panel rows] each
  AlignedArray biases;    ///< [output_stride]
  bool is_first;          ///< nothing is behind it: backward is empty

 private:
  static std::size_t padded(std::size_t rows) {
    return (rows + kRowPadding - 1) / kRowPadding * kRowPadding;
  }

  /// Copies a matrix into the panels that multiply() reads; rows beyond
  /// num_rows stay zero.
  template <typename Element>
  static void pack(double* to, std::size_t num_rows, std::size_t depth,
                   Element element) {
    std::size_t row = 0;
    for (std::size_t left = vectors_for(num_rows); left > 0;) {
      const std::size_t vectors = panel_vectors(left);
      const std::size_t stride = vectors * kLanes;
      const std::size_t rows = std::min(stride, num_rows - row);
      for (std::size_t k = 0; k < depth; ++k) {
        for (std::size_t i = 0; i < rows; ++i) to[i] = element(row + i, k);
        to += stride;
      }
      row += stride;
      left -= vectors;
    }
  }
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
