// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PRODUCT_INL_HPP
#undef MLP_CPU_PRODUCT_INL_HPP
#else
#define MLP_CPU_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Lanes = hn::Vec<Doubles>;
constexpr std::size_t kLanes = hn::MaxLanes(Doubles());

/// Accumulators held in registers: each needs one, beside a few for operands.
/// AVX-512 has 32 registers, the others 16. Eight hide the latency of the fused
/// multiply-add, more save loads.
constexpr std::size_t kAccumulators = HWY_TARGET <= HWY_AVX3 ? 24 : 12;

/// Vectors of a panel at most.
constexpr std::size_t kPanelVectors = 3;

/// What the accumulators start with.
enum class Start { kZero, kColumn, kResult };

/// c(:, j) = start + sum over k of a(:, k) b(j, k): the one shape behind all
/// three products of a layer.
///
/// | product  | a            | b(j, k)      | c               | start   |
/// |----------|--------------|--------------|-----------------|---------|
/// | W X + b  | W(:, input)  | X(input, j)  | z of instance j | kColumn |
/// | W^T D    | W^T(:, out)  | D(out, j)    | d of instance j | kZero   |
/// | D X^T    | D(:, inst.)  | X(j, inst.)  | dW of input j   | kResult |
struct Product {
  std::size_t depth;     ///< terms of a sum
  const double* a;       ///< panel of vectors, aligned
  std::size_t a_stride;  ///< from k to k + 1
  const double* b;
  std::size_t b_stride_j;  ///< from j to j + 1
  std::size_t b_stride_k;  ///< from k to k + 1
  double* c;               ///< aligned
  std::size_t c_stride;    ///< from j to j + 1
  const double* column;    ///< of Start::kColumn, aligned
};

/// Computes kColumns columns of kVectors vectors. Each element is one chain in
/// the order of k, whatever the shape of the tile.
///
/// \cost 2 kVectors kLanes kColumns depth flops; kVectors + kColumns loads for
///       kVectors kColumns multiply-adds
template <std::size_t kVectors, std::size_t kColumns, Start kStart>
HWY_INLINE void multiply_tile(const Product& p, std::size_t j) {
  const Doubles d;
  Lanes sum[kColumns][kVectors];
  double* c = p.c + j * p.c_stride;
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kStart == Start::kZero) sum[n][v] = hn::Zero(d);
      if constexpr (kStart == Start::kColumn) {
        sum[n][v] = hn::Load(d, p.column + v * kLanes);
      }
      if constexpr (kStart == Start::kResult) {
        sum[n][v] = hn::Load(d, c + n * p.c_stride + v * kLanes);
      }
    }
  }
  const double* a = p.a;
  const double* b = p.b + j * p.b_stride_j;
  for (std::size_t k = 0; k < p.depth; ++k) {
    Lanes left[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      left[v] = hn::Load(d, a + v * kLanes);
    }
    for (std::size_t n = 0; n < kColumns; ++n) {
      const Lanes right = hn::Set(d, b[n * p.b_stride_j]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[n][v] = hn::MulAdd(left[v], right, sum[n][v]);
      }
    }
    a += p.a_stride;
    b += p.b_stride_k;
  }
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[n][v], d, c + n * p.c_stride + v * kLanes);
    }
  }
}

/// Computes all columns of one panel.
template <std::size_t kVectors, Start kStart>
HWY_NOINLINE void multiply_panel(const Product& p, std::size_t num_columns) {
  constexpr std::size_t kColumns =
      kAccumulators / std::max<std::size_t>(kVectors, 2);
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_tile<kVectors, kColumns, kStart>(p, j);
  }
  if (j + kColumns / 2 <= num_columns) {
    multiply_tile<kVectors, kColumns / 2, kStart>(p, j);
    j += kColumns / 2;
  }
  for (; j < num_columns; ++j) multiply_tile<kVectors, 1, kStart>(p, j);
}

/// How many vectors the next panel takes, of those left: never a last one alone
/// where it can be avoided, because one vector does not fill the pipeline.
HWY_INLINE std::size_t panel_vectors(std::size_t vectors_left) {
  return vectors_left == kPanelVectors + 1
             ? kPanelVectors - 1
             : std::min(vectors_left, kPanelVectors);
}

/// Vectors that hold a number of rows.
HWY_INLINE std::size_t vectors_for(std::size_t rows) {
  return (rows + kLanes - 1) / kLanes;
}

/// Computes all rows: panel after panel.
///
/// \param p            a and c at row 0; a_stride is ignored where
///                     is_packed: then the panels of a follow each other, each
///                     depth x its vectors
/// \param num_rows     of a and c; both are padded to whole vectors
/// \param num_columns  of c
template <Start kStart>
void multiply(Product p, std::size_t num_rows, std::size_t num_columns,
              bool is_packed) {
  for (std::size_t left = vectors_for(num_rows); left > 0;) {
    const std::size_t vectors = panel_vectors(left);
    if (is_packed) p.a_stride = vectors * kLanes;
    if (vectors == 3) multiply_panel<3, kStart>(p, num_columns);
    if (vectors == 2) multiply_panel<2, kStart>(p, num_columns);
    if (vectors == 1) multiply_panel<1, kStart>(p, num_columns);
    p.a += is_packed ? p.depth * p.a_stride : vectors * kLanes;
    p.c += vectors * kLanes;
    if constexpr (kStart == Start::kColumn) p.column += vectors * kLanes;
    left -= vectors;
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
