// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Computes a layer for one row at a time.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_ROWS_ROW_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_ROWS_ROW_KERNELS_INL_HPP
#undef MLP_CPU_ROWS_ROW_KERNELS_INL_HPP
#else
#define MLP_CPU_ROWS_ROW_KERNELS_INL_HPP
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../base/exp-inl.hpp"
#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of full panels computed at once. With a short panel after them, up to
/// 14 accumulators use 14 of 16 registers. So many chains hide the latency of
/// the multiply-add, and so many runs of memory hide the latency of the cache.
constexpr std::size_t kRowPanels = 4;

/// The product of neighbouring panels of a layer with one row.
///
/// All panels are full, except that the last panel of the layer may be shorter.
template <typename T>
struct RowProduct {
  const T* weights;             ///< of the first panel   [vectors x inputs]
  std::size_t panel_size;       ///< stride from panel to panel
  const T* biases;              ///< [kPanelRows] of each panel
  const T* x;                   ///< inputs of the layer
  const std::uint32_t* places;  ///< indices of the inputs used; null for all
  std::size_t size;             ///< number of inputs used, at least 1
  T* out;                       ///< [kPanelRows] of each panel
};

/// Computes out = biases + W x for kPanels full panels and a kTail-vector one.
///
/// Each output is one chain of multiply-adds in the order of the inputs, as in
/// multiply_tile().
///
/// \cost 2 size flops an output; every weight is read once
template <typename T, std::size_t kPanels, std::size_t kTail, bool kIsSparse>
HWY_NOINLINE void multiply_row(const RowProduct<T>& p) {
  const Tag<T> d;
  constexpr std::size_t kVectors = kPanels * kPanelVectors + kTail;
  hn::Vec<Tag<T>> sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    sum[v] = hn::Load(d, p.biases + v * kLanes<T>);
  }
  const T* panels[kPanels + 1];
  for (std::size_t i = 0; i <= kPanels; ++i) {
    panels[i] = p.weights + i * p.panel_size;
  }
  std::size_t i = 0;
  do {  // with the test at the end, compilers keep the sums in registers
    const std::size_t k = kIsSparse ? p.places[i] : i;
    const auto input = hn::Set(d, p.x[k]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const bool is_full = v < kPanels * kPanelVectors;
      const T* column = panels[v / kPanelVectors] +
                        k * (is_full ? kPanelVectors : kTail) * kLanes<T>;
      const auto weight = hn::Load(d, column + v % kPanelVectors * kLanes<T>);
      sum[v] = hn::MulAdd(weight, input, sum[v]);
    }
  } while (++i < p.size);
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::Store(sum[v], d, p.out + v * kLanes<T>);
  }
}

/// Computes a whole layer of one panel; all sums stay in registers.
///
/// \param w  [kVectors vectors x size]
template <typename T, std::size_t kVectors, bool kIsHidden>
HWY_INLINE void compute_single_panel_layer(const T* HWY_RESTRICT w,
                                           const T* HWY_RESTRICT biases,
                                           const T* HWY_RESTRICT x,
                                           std::size_t size,
                                           T* HWY_RESTRICT out) {
  const Tag<T> d;
  hn::Vec<Tag<T>> sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    sum[v] = hn::Load(d, biases + v * kLanes<T>);
  }
  const auto add_input = [&]() HWY_ATTR {
    const auto input = hn::Set(d, *x++);
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::MulAdd(hn::Load(d, w + v * kLanes<T>), input, sum[v]);
    }
    w += kVectors * kLanes<T>;
  };
  // Four inputs at once: one wrong branch prediction at the end of a loop costs
  // as much as a layer.
  for (; size >= 4; size -= 4) {
    add_input();
    add_input();
    add_input();
    add_input();
  }
  for (; size > 0; --size) add_input();
  for (std::size_t v = 0; v < kVectors; ++v) {
    if constexpr (kIsHidden) sum[v] = sigmoid(d, sum[v]);
    hn::Store(sum[v], d, out + v * kLanes<T>);
  }
}

template <typename T>
using RowKernel = void (*)(const RowProduct<T>&);

/// Lists multiply_row() for i / kPanelVectors panels and i % kPanelVectors
/// vectors, i = 1, 2, ..
template <typename T, bool kIsSparse, std::size_t... kIs>
constexpr std::array<RowKernel<T>, sizeof...(kIs)> make_row_kernels(
    std::index_sequence<kIs...>) {
  return {&multiply_row<T, (kIs + 1) / kPanelVectors, (kIs + 1) % kPanelVectors,
                        kIsSparse>...};
}

/// The kernels for 1, 2, .. vectors. Only the last panel may be short.
template <typename T, bool kIsSparse>
constexpr auto kRowKernels = make_row_kernels<T, kIsSparse>(
    std::make_index_sequence<kRowPanels * kPanelVectors + kPanelVectors - 1>());

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
