// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies matrices in panels: the three products of a layer.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_PANEL_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_PANEL_PRODUCT_INL_HPP
#undef MLP_CPU_BASE_PANEL_PRODUCT_INL_HPP
#else
#define MLP_CPU_BASE_PANEL_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "few_rows-inl.hpp"
#include "panels-inl.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes num_columns columns of one panel.
///
/// AVX2 and AVX-512 fill vectors with several instances if the panel has a few
/// rows. Half vectors are used if they hold all rows of the panel, because some
/// processors execute an AVX-512 instruction as two halves.
///
/// \param num_rows  rows of the panel, 1 .. kPanelRows
template <Start kStart, Over kOver, typename T>
HWY_INLINE void multiply_panel(const Product<T>& p, std::size_t num_rows,
                               std::size_t num_columns) {
  using D = Tag<T>;
#if HWY_TARGET <= HWY_AVX2
  if constexpr (kOver != Over::kInstances) {
    if (num_rows <= kFewRows<T>) {
      const std::size_t done =
          multiply_few_rows<kStart, kOver>(p, num_rows, num_columns);
      if (done == num_columns) return;
      Product<T> rest = p;
      rest.b += done * Strides<T, 1, kOver>::b_column(p);
      rest.c += done * kPanelRows<T>;
      rest.ahead = {};
      return multiply_columns<1, kStart, kOver, hn::Half<D>>(
          rest, num_columns - done);
    }
  }
#endif
  if constexpr (HWY_TARGET <= HWY_AVX2) {
    if (num_rows <= kLanes<T> / 2) {
      return multiply_columns<1, kStart, kOver, hn::Half<D>>(p, num_columns);
    }
  }
  if (num_rows > 2 * kLanes<T>) {
    multiply_columns<3, kStart, kOver, D>(p, num_columns);
  } else if (num_rows > kLanes<T>) {
    multiply_columns<2, kStart, kOver, D>(p, num_columns);
  } else {
    multiply_columns<1, kStart, kOver, D>(p, num_columns);
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
