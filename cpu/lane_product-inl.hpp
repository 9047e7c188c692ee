// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_LANE_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANE_PRODUCT_INL_HPP
#undef MLP_CPU_LANE_PRODUCT_INL_HPP
#else
#define MLP_CPU_LANE_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "panels-inl.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Narrow networks: a vector holds one unit of several instances, so that a layer
// of 5 units wastes no lane. Every matrix is [units x kLaneTile], a row of
// instances after the other.

/// Instances computed at once: all their outputs and deltas stay in the first
/// level cache.
constexpr std::size_t kLaneTile = 64;

/// Chains that a sum over instances is made of: instance i belongs to chain
/// i % kChains. One cache line, whatever the width of a vector, so that the bits
/// are the same for all that have fused multiply-add.
template <typename T>
constexpr std::size_t kChains = 64 / sizeof(T);

/// Vectors that the registers hold of each of kLaneRows units.
constexpr std::size_t kLaneVectors = 4;
constexpr std::size_t kLaneRows = kAccumulators / kLaneVectors;

/// A small matrix of weights in memory: element (i, k) lies at
/// [i row_stride + k term_stride].
template <typename T>
struct LaneWeights {
  const T* data;
  std::size_t row_stride;
  std::size_t term_stride;
  const T* biases;  ///< of each row, or null for zero
};

/// c(i, :) = bias(i) + sum over k of w(i, k) x(k, :) for kRows rows and kVectors
/// vectors: each element one chain in the order of k.
template <std::size_t kRows, std::size_t kVectors, typename T>
HWY_INLINE void multiply_lanes_tile(const LaneWeights<T>& w,
                                    std::size_t num_terms, const T* x, T* c) {
  const Tag<T> d;
  hn::Vec<Tag<T>> sum[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[i][v] = w.biases ? hn::Set(d, w.biases[i]) : hn::Zero(d);
    }
  }
  const T* weight = w.data;
  for (std::size_t k = 0; k < num_terms; ++k) {
    hn::Vec<Tag<T>> right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      right[v] = load_shared(x + v * kLanes<T>);
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto left = hn::Set(d, weight[i * w.row_stride]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
      }
    }
    weight += w.term_stride;
    x += kLaneTile;
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[i][v], d, c + i * kLaneTile + v * kLanes<T>);
    }
  }
}

/// As multiply_lanes_tile(), for all rows.
template <std::size_t kVectors, typename T>
HWY_INLINE void multiply_lanes_rows(LaneWeights<T> w, std::size_t num_rows,
                                    std::size_t num_terms, const T* x, T* c) {
  const auto advance = [&](std::size_t rows) {
    w.data += rows * w.row_stride;
    if (w.biases) w.biases += rows;
    c += rows * kLaneTile;
    num_rows -= rows;
  };
  while (num_rows >= kLaneRows) {
    multiply_lanes_tile<kLaneRows, kVectors>(w, num_terms, x, c);
    advance(kLaneRows);
  }
  while (num_rows >= 2) {
    multiply_lanes_tile<2, kVectors>(w, num_terms, x, c);
    advance(2);
  }
  if (num_rows == 1) multiply_lanes_tile<1, kVectors>(w, num_terms, x, c);
}

/// c = w x + biases over the first num_vectors vectors of the instances.
///
/// \cost 2 num_rows num_terms num_vectors kLanes flops
template <typename T>
HWY_NOINLINE void multiply_lanes(const LaneWeights<T>& w, std::size_t num_rows,
                                 std::size_t num_terms, std::size_t num_vectors,
                                 const T* x, T* c) {
  std::size_t v = 0;
  for (; v + kLaneVectors <= num_vectors; v += kLaneVectors) {
    multiply_lanes_rows<kLaneVectors>(w, num_rows, num_terms, x + v * kLanes<T>,
                                      c + v * kLanes<T>);
  }
  for (; v < num_vectors; ++v) {
    multiply_lanes_rows<1>(w, num_rows, num_terms, x + v * kLanes<T>,
                           c + v * kLanes<T>);
  }
}

/// sum(i, k) += sum over instances of x(i, :) delta(k, :) for kRows rows i, in
/// kChains chains each.
///
/// \param[in,out] sum  [kChains] of each row, sum_stride apart
template <std::size_t kRows, typename T>
HWY_INLINE void add_lane_products_tile(const T* x, const T* delta,
                                       std::size_t num_instances, T* sum,
                                       std::size_t sum_stride) {
  constexpr std::size_t kVectors = kChains<T> / kLanes<T>;
  const Tag<T> d;
  hn::Vec<Tag<T>> total[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      total[i][v] = hn::Load(d, sum + i * sum_stride + v * kLanes<T>);
    }
  }
  for (std::size_t j = 0; j < num_instances; j += kChains<T>) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto right = load_shared(delta + j + v * kLanes<T>);
      for (std::size_t i = 0; i < kRows; ++i) {
        total[i][v] =
            hn::MulAdd(hn::Load(d, x + i * kLaneTile + j + v * kLanes<T>),
                       right, total[i][v]);
      }
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(total[i][v], d, sum + i * sum_stride + v * kLanes<T>);
    }
  }
}

/// As add_lane_products_tile(), for all inputs of one output.
///
/// \param num_instances  a multiple of kChains
template <typename T>
HWY_NOINLINE void add_lane_products(const T* x, std::size_t num_inputs,
                                    const T* delta, std::size_t num_instances,
                                    T* sum, std::size_t sum_stride) {
  for (; num_inputs >= 4; num_inputs -= 4) {
    add_lane_products_tile<4>(x, delta, num_instances, sum, sum_stride);
    x += 4 * kLaneTile;
    sum += 4 * sum_stride;
  }
  for (; num_inputs > 0; --num_inputs) {
    add_lane_products_tile<1>(x, delta, num_instances, sum, sum_stride);
    x += kLaneTile;
    sum += sum_stride;
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
