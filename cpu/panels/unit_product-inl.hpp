// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies whole layers, in pieces that stay in the caches.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_UNIT_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_UNIT_PRODUCT_INL_HPP
#undef MLP_CPU_PANELS_UNIT_PRODUCT_INL_HPP
#else
#define MLP_CPU_PANELS_UNIT_PRODUCT_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "../base/panel_product-inl.hpp"
#include "../base/panels-inl.hpp"
#include "../base/prefetch-inl.hpp"
#include "../base/product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// A product of packed weights and the values of a layer, summed over its units:
/// W X + b, W^T D, P X or P^T D.
template <typename T>
struct UnitProduct {
  Panels<T> rows;    ///< of the result
  Panels<T> depth;   ///< of the terms
  const T* weights;  ///< packed   [rows x depth]
  const T* biases;   ///< [rows] for Start::kColumn, else null
  const T* b;        ///< [depth x num_columns] in panels, or the user's rows
  T* c;              ///< [rows x num_columns] in panels
  std::size_t num_columns;
  Ahead ahead = {};  ///< prefetched by a product of all rows
};

/// Panels of terms per pass over the rows. A piece of a panel of weights then
/// stays in the first level cache while all instances use it, and the inputs of
/// a tile stay in the second.
constexpr std::size_t kDepthPanels = 17;

/// Terms of a pass.
template <typename T>
constexpr std::size_t kPiece = kDepthPanels* kPanelRows<T>;

/// Bytes of the weights of a layer from which they are prefetched: they leave no
/// room for the tile in a second level cache of 1 MiB.
constexpr std::size_t kLargeLayer = std::size_t{768} << 10;

/// Returns packed weights of panel p from a term on.
template <typename T>
const T* weights_at(const UnitProduct<T>& u, std::size_t p, std::size_t term) {
  return u.weights + Panels<T>::offset(p, u.depth.rows()) +
         term * u.rows.vectors_of(p) * kLanes<T>;
}

/// Returns what is prefetched during the product of panel p and the terms from
/// begin on: a share of the memory that was given, or else the weights that the
/// next product reads, if all weights are too large for the second level cache.
template <typename T>
Ahead next_memory(const UnitProduct<T>& u, const Range& panels, std::size_t p,
                  std::size_t begin) {
  const std::size_t depth = u.depth.rows();
  const std::size_t size = std::min(kPiece<T>, depth - begin);
  if (!u.ahead.is_empty()) {
    // The shares are proportional to the arithmetic that hides them.
    const std::size_t done = begin * u.rows.rows() + p * kPanelRows<T> * size;
    return u.ahead.share(done, done + u.rows.rows_of(p) * size,
                         u.rows.rows() * depth);
  }
  if (u.rows.size(depth) * sizeof(T) < kLargeLayer) return {};
  if (++p == panels.end) {
    p = panels.begin;
    begin += kPiece<T>;
    if (begin >= depth) return {};
  }
  return {weights_at(u, p, begin), std::min(kPiece<T>, depth - begin) *
                                       u.rows.vectors_of(p) * kLanes<T>};
}

/// Computes some panels of rows for some columns.
///
/// \cost 2 rows depth columns flops
template <Start kStart, Over kOver, typename T>
void multiply_units(const UnitProduct<T>& u, const Range& panels,
                    const Range& columns) {
  const std::size_t depth = u.depth.rows();
  const std::size_t first_column = columns.begin * kPanelRows<T>;
  for (std::size_t begin = 0; begin < depth; begin += kPiece<T>) {
    const std::size_t first = begin / kPanelRows<T>;
    const T* b =
        kOver == Over::kRows
            ? u.b + columns.begin * depth + begin
            : u.b + Panels<T>::offset(first, u.num_columns) + first_column;
    for (std::size_t p = panels.begin; p < panels.end; ++p) {
      const Product<T> product = {
          std::min(kPiece<T>, depth - begin),
          weights_at(u, p, begin),
          b,
          u.c + Panels<T>::offset(p, u.num_columns) + first_column,
          u.biases ? u.biases + p * kPanelRows<T> : nullptr,
          kOver == Over::kRows ? depth : Panels<T>::offset(1, u.num_columns),
          next_memory(u, panels, p, begin)};
      const std::size_t rows = u.rows.rows_of(p);
      if (begin == 0) {
        multiply_panel<kStart, kOver>(product, rows, columns.size());
      } else {
        multiply_panel<Start::kResult, kOver>(product, rows, columns.size());
      }
    }
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
