// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies a panel of a few rows: one vector holds them for several instances.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_FEW_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_FEW_ROWS_INL_HPP
#undef MLP_CPU_BASE_FEW_ROWS_INL_HPP
#else
#define MLP_CPU_BASE_FEW_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "panels-inl.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX2

/// Rows, or terms, in 128 bits.
template <typename T>
constexpr std::size_t kBlock = 16 / sizeof(T);

/// The most rows of a panel that share a vector with other instances. AVX2 has
/// registers for the sums of one block.
template <typename T>
constexpr std::size_t kFewRows = HWY_TARGET <= HWY_AVX3 ? 4 : kBlock<T>;

/// Instances of a vector.
template <typename T>
constexpr std::size_t kTogether = kLanes<T> / kBlock<T>;

/// Loads a block of each of several instances.
///
/// \param stride  between the instances
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const hn::TFromD<D>* from,
                                  std::size_t stride) {
  constexpr std::size_t kCount = hn::MaxLanes(D()) / kBlock<hn::TFromD<D>>;
  if constexpr (kCount == 1) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, from + kCount / 2 * stride, stride),
                       load_blocks(half, from, stride));
  }
}

/// Stores a block of each of several instances.
template <class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> vector, hn::TFromD<D>* to,
                             std::size_t stride) {
  constexpr std::size_t kCount = hn::MaxLanes(D()) / kBlock<hn::TFromD<D>>;
  if constexpr (kCount == 1) {
    hn::StoreU(vector, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, vector), to, stride);
    store_blocks(half, hn::UpperHalf(half, vector), to + kCount / 2 * stride,
                 stride);
  }
}

/// Adds the terms of a run to the sums of kGroups vectors of instances.
///
/// \tparam kBlocks  blocks of rows
/// \tparam kTerms   terms of this step, at most a block
/// \param  stride   between the instances of b
template <std::size_t kTerms, std::size_t kGroups, std::size_t kBlocks,
          typename T, class Vector>
HWY_INLINE void add_terms(const T* a, const T* b, std::size_t stride,
                          Vector (&sum)[kGroups][kBlocks]) {
  const Tag<T> d;
  Vector rows[kTerms][kBlocks];
  for (std::size_t k = 0; k < kTerms; ++k) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      rows[k][i] = hn::LoadDup128(d, a + k * kLanes<T> + i * kBlock<T>);
    }
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    const Vector x = load_blocks(d, b + g * kTogether<T> * stride, stride);
    const auto add = [&](std::size_t k, Vector term) HWY_ATTR {
      for (std::size_t i = 0; i < kBlocks; ++i) {
        sum[g][i] = hn::MulAdd(rows[k][i], term, sum[g][i]);
      }
    };
    add(0, hn::Broadcast<0>(x));
    if constexpr (kTerms > 1) add(1, hn::Broadcast<1>(x));
    if constexpr (kTerms > 2) add(2, hn::Broadcast<2>(x));
    if constexpr (kTerms > 3) add(3, hn::Broadcast<3>(x));
  }
}

/// Adds the last terms of a run, fewer than a block.
template <Over kOver, std::size_t kGroups, std::size_t kBlocks, typename T,
          class Vector>
HWY_INLINE void add_last_terms(const T* a, const T* b, std::size_t stride,
                               std::size_t num_terms,
                               Vector (&sum)[kGroups][kBlocks]) {
  if (num_terms == 0) return;
  constexpr std::size_t kInstances = kGroups * kTogether<T>;
  T blocks[kInstances * kBlock<T>];
  if constexpr (kOver == Over::kRows) {
    // A whole block would end after the last row.
    for (std::size_t j = 0; j < kInstances; ++j) {
      for (std::size_t k = 0; k < num_terms; ++k) {
        blocks[j * kBlock<T> + k] = b[j * stride + k];
      }
    }
    b = blocks;
    stride = kBlock<T>;
  }
  if (num_terms == 1) add_terms<1>(a, b, stride, sum);
  if constexpr (kBlock<T> == 4) {
    if (num_terms == 2) add_terms<2>(a, b, stride, sum);
    if (num_terms == 3) add_terms<3>(a, b, stride, sum);
  }
}

/// Computes the rows of kGroups vectors of instances. Each element is one chain of
/// multiply-adds in the order of the terms, as in multiply_tile().
template <std::size_t kGroups, std::size_t kBlocks, Start kStart, Over kOver,
          typename T>
HWY_INLINE void multiply_few_tile(const Product<T>& p, std::size_t j,
                                  Ahead& ahead, std::size_t num_lines) {
  constexpr std::size_t kStep = kTogether<T> * kPanelRows<T>;
  const Tag<T> d;
  hn::Vec<Tag<T>> sum[kGroups][kBlocks];
  T* c = p.c + j * kPanelRows<T>;
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      if constexpr (kStart == Start::kZero) sum[g][i] = hn::Zero(d);
      if constexpr (kStart == Start::kColumn) {
        sum[g][i] = hn::LoadDup128(d, p.column + i * kBlock<T>);
      }
      if constexpr (kStart == Start::kResult) {
        sum[g][i] =
            load_blocks(d, c + g * kStep + i * kBlock<T>, kPanelRows<T>);
      }
    }
  }
  const T* a = p.a;
  using S = Strides<T, 1, kOver>;
  const std::size_t stride = S::b_column(p);
  const T* run_start = p.b + j * stride;
  for (std::size_t left = p.depth; left > 0;) {
    const std::size_t run = std::min(left, S::kRun);
    ahead.fetch(num_lines);
    const T* b = run_start;
    std::size_t k = 0;
    for (; k + kBlock<T> <= run; k += kBlock<T>) {
      add_terms<kBlock<T>>(a, b, stride, sum);
      a += kBlock<T> * kLanes<T>;
      b += kBlock<T>;
    }
    add_last_terms<kOver>(a, b, stride, run - k, sum);
    run_start += S::b_run(p);
    left -= run;
  }
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      store_blocks(d, sum[g][i], c + g * kStep + i * kBlock<T>, kPanelRows<T>);
    }
  }
}

/// Computes columns of a panel of at most kBlocks blocks of rows.
///
/// \return the number of columns computed: a multiple of kTogether
template <std::size_t kBlocks, Start kStart, Over kOver, typename T>
HWY_NOINLINE std::size_t multiply_few_columns(const Product<T>& p,
                                              std::size_t num_columns) {
  constexpr std::size_t kGroups = 6;
  constexpr std::size_t kColumns = kGroups * kTogether<T>;
  using S = Strides<T, 1, kOver>;
  Ahead ahead = p.ahead;
  const std::size_t lines =
      ahead.lines_for(S::num_runs(p.depth, num_columns, kColumns));
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_few_tile<kGroups, kBlocks, kStart, kOver>(p, j, ahead, lines);
  }
  for (; j + kTogether<T> <= num_columns; j += kTogether<T>) {
    multiply_few_tile<1, kBlocks, kStart, kOver>(p, j, ahead, lines);
  }
  return j;
}

/// Computes columns of a panel of at most kFewRows rows, over units or rows.
///
/// \return the number of columns computed; the last few may be left
template <Start kStart, Over kOver, typename T>
HWY_INLINE std::size_t multiply_few_rows(const Product<T>& p,
                                         std::size_t num_rows,
                                         std::size_t num_columns) {
  if (num_rows <= kBlock<T>) {
    return multiply_few_columns<1, kStart, kOver>(p, num_columns);
  }
  return multiply_few_columns<kFewRows<T> / kBlock<T>, kStart, kOver>(
      p, num_columns);
}

#endif

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
