// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies matrices in panels: the three products of a layer.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_PRODUCT_INL_HPP
#undef MLP_CPU_BASE_PRODUCT_INL_HPP
#else
#define MLP_CPU_BASE_PRODUCT_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of accumulators. Each one uses a register; a few more registers hold
/// operands. AVX-512 has 32 registers, the others 16. Eight accumulators hide
/// the latency of the fused multiply-add; more of them save loads.
constexpr std::size_t kAccumulators = HWY_TARGET <= HWY_AVX3 ? 24 : 12;

/// The start values of the sums: zero, Product::column, or c itself.
enum class Start { kZero, kColumn, kResult };

/// What the terms of a sum are. It fixes all strides at compile time.
enum class Over { kUnits, kInstances };

/// A product c(:, j) = start + sum over k of a(:, k) b(j, k) for one panel.
///
/// The three products of a layer have this form:
///
/// | product  | a            | b(j, k)      | c               | start   | over      |
/// |----------|--------------|--------------|-----------------|---------|-----------|
/// | W X + b  | W(:, input)  | X(input, j)  | z of instance j | kColumn | units     |
/// | W^T D    | W^T(:, out)  | D(out, j)    | d of instance j | kZero   | units     |
/// | X D^T    | X(:, inst.)  | D(j, inst.)  | dW^T of output j| kResult | instances |
template <typename T>
struct Product {
  std::size_t depth;  ///< number of terms of a sum
  const T* a;         ///< aligned; packed if over units, else a panel
  const T* b;         ///< in panels of kTileSize columns
  T* c;               ///< columns kPanelRows apart, aligned
  const T* column;    ///< for Start::kColumn, aligned
};

/// The strides of a product.
template <typename T, std::size_t kVectors, Over kOver>
struct Strides {
  static constexpr bool kIsOverUnits = kOver == Over::kUnits;

  /// Stride from a(:, k) to a(:, k + 1).
  static constexpr std::size_t kA =
      (kIsOverUnits ? kVectors : kPanelVectors) * kLanes<T>;

  /// Strides from b(j, k) to b(j + 1, k), and to b(j, k + 1).
  static constexpr std::size_t kBColumn = kIsOverUnits ? kPanelRows<T> : 1;
  static constexpr std::size_t kBTerm = kIsOverUnits ? 1 : kPanelRows<T>;
};

/// Computes kColumns columns of kVectors vectors of type D.
///
/// Each element is one chain of multiply-adds in the order of k, for every
/// shape of the tile.
///
/// \cost 2 kVectors kLanes kColumns depth flops; kVectors + kColumns loads for
///       kVectors kColumns multiply-adds
template <std::size_t kVectors, std::size_t kColumns, Start kStart, Over kOver,
          class D, typename T>
HWY_INLINE void multiply_tile(const Product<T>& p, std::size_t j) {
  using S = Strides<T, kVectors, kOver>;
  using Lanes = hn::Vec<D>;
  const D d;
  Lanes sum[kColumns][kVectors];
  T* c = p.c + j * kPanelRows<T>;
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kStart == Start::kZero) sum[n][v] = hn::Zero(d);
      if constexpr (kStart == Start::kColumn) {
        sum[n][v] = hn::Load(d, p.column + v * kLanes<T>);
      }
      if constexpr (kStart == Start::kResult) {
        sum[n][v] = hn::Load(d, c + n * kPanelRows<T> + v * kLanes<T>);
      }
    }
  }
  if constexpr (kStart == Start::kResult) {
    // Prefetch the start values of the next tile while this one is computed.
    constexpr std::size_t kLine = 64 / sizeof(T);
    for (std::size_t i = 0; i < kColumns * kPanelRows<T>; i += kLine) {
      hwy::Prefetch(c + kColumns * kPanelRows<T> + i);
    }
  }
  // Units are contiguous within a panel, and panels are kTileSize columns
  // apart. Instances form one run.
  constexpr std::size_t kRun = S::kIsOverUnits ? kPanelRows<T> : kTileSize;
  const T* a = p.a;
  const T* run_start = p.b + j * S::kBColumn;
  for (std::size_t left = p.depth; left > 0;) {
    const std::size_t run = std::min(left, kRun);
    const T* b = run_start;
    for (std::size_t k = 0; k < run; ++k, a += S::kA, b += S::kBTerm) {
      Lanes column[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) {
        column[v] = load_shared(d, a + v * kLanes<T>);
      }
      for (std::size_t n = 0; n < kColumns; ++n) {
        const Lanes right = hn::Set(d, b[n * S::kBColumn]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          sum[n][v] = hn::MulAdd(column[v], right, sum[n][v]);
        }
      }
    }
    run_start += kPanelRows<T> * kTileSize;
    left -= run;
  }
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[n][v], d, c + n * kPanelRows<T> + v * kLanes<T>);
    }
  }
}

/// Computes num_columns columns of kVectors vectors.
template <std::size_t kVectors, Start kStart, Over kOver, class D, typename T>
HWY_NOINLINE void multiply_columns(const Product<T>& p,
                                   std::size_t num_columns) {
  constexpr std::size_t kColumns = kAccumulators / kVectors;
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_tile<kVectors, kColumns, kStart, kOver, D>(p, j);
  }
  if (j + kColumns / 2 <= num_columns) {
    multiply_tile<kVectors, kColumns / 2, kStart, kOver, D>(p, j);
    j += kColumns / 2;
  }
  for (; j < num_columns; ++j) {
    multiply_tile<kVectors, 1, kStart, kOver, D>(p, j);
  }
}

/// Computes num_columns columns of one panel.
///
/// Half vectors are used if they hold all rows of the panel, because some
/// processors execute an AVX-512 instruction as two halves.
///
/// \param num_rows  rows of the panel, 1 .. kPanelRows
template <Start kStart, Over kOver, typename T>
HWY_INLINE void multiply_panel(const Product<T>& p, std::size_t num_rows,
                               std::size_t num_columns) {
  using D = Tag<T>;
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
