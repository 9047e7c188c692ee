// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Tiles of a product: the inner loops of the three products of a layer.
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
#include "prefetch-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of accumulators. Each one uses a register; a few more registers hold
/// operands. AVX-512 has 32 registers, the others 16. Eight accumulators hide
/// the latency of the fused multiply-add; more of them save loads.
constexpr std::size_t kAccumulators = HWY_TARGET <= HWY_AVX3 ? 24 : 12;

/// Returns the number of columns of a tile of so many vectors.
///
/// g++ 12 unrolls loops of at most 16 iterations early enough to keep an array in
/// registers: the accumulators of 17 columns would be loaded and stored for each
/// term.
constexpr std::size_t columns_of(std::size_t num_vectors) {
  return std::min<std::size_t>(kAccumulators / num_vectors, 16);
}

/// Terms of a sum over instances between two prefetches.
constexpr std::size_t kFetchRun = 12;

/// The start values of the sums: zero, Product::column, or c itself.
enum class Start { kZero, kColumn, kResult };

/// What the terms of a sum are, and how b lies in memory.
enum class Over { kUnits, kRows, kInstances };

/// A product c(:, j) = start + sum over k of a(:, k) b(j, k) for one panel.
///
/// The three products of a layer have this form:
///
/// | product  | a            | b(j, k)      | c               | start   | over      |
/// |----------|--------------|--------------|-----------------|---------|-----------|
/// | W X + b  | W(:, input)  | X(input, j)  | z of instance j | kColumn | units     |
/// | W X + b  | W(:, input)  | user's rows  | z of instance j | kColumn | rows      |
/// | W^T D    | W^T(:, out)  | D(out, j)    | d of instance j | kZero   | units     |
/// | X D^T    | X(:, inst.)  | D(j, inst.)  | dW^T of output j| kResult | instances |
template <typename T>
struct Product {
  std::size_t depth;  ///< number of terms of a sum
  const T* a;         ///< aligned; packed if over units or rows, else a panel
  const T* b;         ///< in panels, or the user's rows
  T* c;               ///< columns kPanelRows apart, aligned
  const T* column;    ///< for Start::kColumn, aligned
  /// From panel to panel of b if over units, from row to row if over rows.
  std::size_t b_stride;
  Ahead ahead = {};  ///< what the next product reads
};

/// The strides of a product.
template <typename T, std::size_t kVectors, Over kOver>
struct Strides {
  static constexpr bool kIsOverUnits = kOver != Over::kInstances;

  /// Stride from a(:, k) to a(:, k + 1).
  static constexpr std::size_t kA =
      (kIsOverUnits ? kVectors : kPanelVectors) * kLanes<T>;

  /// Stride from b(j, k) to b(j + 1, k).
  static constexpr std::size_t b_column(const Product<T>& p) {
    if constexpr (kOver == Over::kRows) return p.b_stride;
    return kIsOverUnits ? kPanelRows<T> : 1;
  }

  /// Stride from b(j, k) to b(j, k + 1).
  static constexpr std::size_t kBTerm = kIsOverUnits ? 1 : kPanelRows<T>;

  /// Terms that are read in one run: the units of a panel, or terms all of which
  /// are contiguous.
  static constexpr std::size_t kRun = kIsOverUnits ? kPanelRows<T> : kFetchRun;

  /// Stride between runs of b.
  static constexpr std::size_t b_run(const Product<T>& p) {
    if constexpr (kOver == Over::kUnits) return p.b_stride;
    return kOver == Over::kRows ? kRun : kPanelRows<T> * kRun;
  }

  /// Returns the number of runs of a product of num_columns in tiles of kColumns.
  static std::size_t num_runs(std::size_t depth, std::size_t num_columns,
                              std::size_t kColumns) {
    const std::size_t num_tiles = (num_columns + kColumns - 1) / kColumns;
    return num_tiles * ((depth + kRun - 1) / kRun);
  }
};

/// Computes kColumns columns of kVectors vectors of type D.
///
/// Each element is one chain of multiply-adds in the order of k, for every
/// shape of the tile.
///
/// \param ahead      prefetched, num_lines in each run
/// \cost 2 kVectors kLanes kColumns depth flops; kVectors + kColumns loads for
///       kVectors kColumns multiply-adds
template <std::size_t kVectors, std::size_t kColumns, Start kStart, Over kOver,
          class D, typename T>
HWY_INLINE void multiply_tile(const Product<T>& p, std::size_t j, Ahead& ahead,
                              std::size_t num_lines) {
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
  const T* a = p.a;
  const std::size_t b_column = S::b_column(p);
  const T* run_start = p.b + j * b_column;
  for (std::size_t left = p.depth; left > 0;) {
    const std::size_t run = std::min(left, S::kRun);
    const T* b = run_start;
    ahead.fetch(num_lines);
    for (std::size_t k = 0; k < run; ++k, a += S::kA, b += S::kBTerm) {
      Lanes column[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) {
        column[v] = load_shared(d, a + v * kLanes<T>);
      }
      for (std::size_t n = 0; n < kColumns; ++n) {
        const Lanes right = hn::Set(d, b[n * b_column]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          sum[n][v] = hn::MulAdd(column[v], right, sum[n][v]);
        }
      }
    }
    run_start += S::b_run(p);
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
  constexpr std::size_t kColumns = columns_of(kVectors);
  using S = Strides<T, kVectors, kOver>;
  Ahead ahead = p.ahead;
  const std::size_t lines =
      ahead.lines_for(S::num_runs(p.depth, num_columns, kColumns));
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_tile<kVectors, kColumns, kStart, kOver, D>(p, j, ahead, lines);
  }
  if (j + kColumns / 2 <= num_columns) {
    multiply_tile<kVectors, kColumns / 2, kStart, kOver, D>(p, j, ahead, lines);
    j += kColumns / 2;
  }
  for (; j < num_columns; ++j) {
    multiply_tile<kVectors, 1, kStart, kOver, D>(p, j, ahead, lines);
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
