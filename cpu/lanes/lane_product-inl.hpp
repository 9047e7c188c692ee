// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Multiplies the matrices of small networks, several instances per vector.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_PRODUCT_INL_HPP
#undef MLP_CPU_LANES_LANE_PRODUCT_INL_HPP
#else
#define MLP_CPU_LANES_LANE_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "../base/panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector holds one unit of several instances, so that a layer of 5 units uses
// every lane. Every matrix is [units x kLaneTile], stored row after row.

/// Number of instances computed at once. All their outputs and deltas stay in
/// the first level cache.
template <typename T>
constexpr std::size_t kLaneTile = 576 / sizeof(T);

/// Number of chains of a sum over instances: instance i belongs to chain i
/// modulo kChains. They fill one cache line for every width of a vector, so
/// that all instruction sets with fused multiply-add give the same bits.
template <typename T>
constexpr std::size_t kChains = 64 / sizeof(T);

/// Returns num_instances rounded up to whole chains.
template <typename T>
constexpr std::size_t padded_to_chains(std::size_t num_instances) {
  return (num_instances + kChains<T> - 1) / kChains<T> * kChains<T>;
}

/// Rows and vectors of a tile, for 12 sums in registers.
constexpr std::size_t kLaneRows = 6;
constexpr std::size_t kLaneVectors = 2;

/// Calls body.operator()<n>(first) for runs of n <= kLaneRows rows.
template <typename Body>
HWY_INLINE void for_lane_rows(std::size_t num_rows, const Body& body) {
  std::size_t i = 0;
  for (; i + kLaneRows <= num_rows; i += kLaneRows) {
    body.template operator()<kLaneRows>(i);
  }
  switch (num_rows - i) {
    case 5:
      return body.template operator()<5>(i);
    case 4:
      return body.template operator()<4>(i);
    case 3:
      return body.template operator()<3>(i);
    case 2:
      return body.template operator()<2>(i);
    case 1:
      return body.template operator()<1>(i);
    default:
      return;
  }
}

/// A small matrix of weights.
///
/// Element (i, k) is at [i row_stride + k term_stride].
template <typename T>
struct LaneWeights {
  const T* data;
  std::size_t row_stride;
  std::size_t term_stride;
  const T* biases;  ///< of each row, or null for zeros
};

/// Whether a product of lanes is added to c, or replaces it.
enum class LaneStart { kBiases, kResult };

/// Computes c(i, :) = start + sum over k of w(i, k) x(k, :) for kRows rows
/// and kVectors vectors. Each element is one chain in the order of k.
template <LaneStart kStart, std::size_t kRows, std::size_t kVectors, typename T>
HWY_INLINE void multiply_lanes_tile(const LaneWeights<T>& w,
                                    std::size_t num_terms, const T* x, T* c) {
  const Tag<T> d;
  hn::Vec<Tag<T>> sum[kRows][kVectors];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kStart == LaneStart::kResult) {
        sum[i][v] = hn::Load(d, c + i * kLaneTile<T> + v * kLanes<T>);
      } else {
        sum[i][v] = w.biases ? hn::Set(d, w.biases[i]) : hn::Zero(d);
      }
    }
  }
  const T* weight = w.data;
  for (std::size_t k = 0; k < num_terms; ++k) {
    hn::Vec<Tag<T>> right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      right[v] = load_shared(d, x + v * kLanes<T>);
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto left = hn::Set(d, weight[i * w.row_stride]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::MulAdd(left, right[v], sum[i][v]);
      }
    }
    weight += w.term_stride;
    x += kLaneTile<T>;
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[i][v], d, c + i * kLaneTile<T> + v * kLanes<T>);
    }
  }
}

/// Computes c = w x + biases, or c += w x, for the first num_vectors vectors of
/// instances.
///
/// \cost 2 num_rows num_terms num_vectors kLanes flops
template <LaneStart kStart, typename T>
HWY_NOINLINE void multiply_lanes(const LaneWeights<T>& w, std::size_t num_rows,
                                 std::size_t num_terms, std::size_t num_vectors,
                                 const T* x, T* c) {
  for_lane_rows(num_rows, [&]<std::size_t kRows>(std::size_t i) {
    const LaneWeights<T> rows = {w.data + i * w.row_stride, w.row_stride,
                                 w.term_stride,
                                 w.biases ? w.biases + i : nullptr};
    T* to = c + i * kLaneTile<T>;
    std::size_t v = 0;
    for (; v + kLaneVectors <= num_vectors; v += kLaneVectors) {
      multiply_lanes_tile<kStart, kRows, kLaneVectors>(
          rows, num_terms, x + v * kLanes<T>, to + v * kLanes<T>);
    }
    for (; v < num_vectors; ++v) {
      multiply_lanes_tile<kStart, kRows, 1>(rows, num_terms, x + v * kLanes<T>,
                                            to + v * kLanes<T>);
    }
  });
}

/// Computes sum(i, k) += sum over instances of x(i, :) delta(k, :) for kRows
/// rows i, in kChains chains each.
///
/// \param[in,out] sum  [kChains] of each row, rows sum_stride apart
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
      const auto right = load_shared(d, delta + j + v * kLanes<T>);
      for (std::size_t i = 0; i < kRows; ++i) {
        total[i][v] =
            hn::MulAdd(hn::Load(d, x + i * kLaneTile<T> + j + v * kLanes<T>),
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

/// Computes add_lane_products_tile() for all inputs of one output.
///
/// \param num_instances  a multiple of kChains
template <typename T>
HWY_NOINLINE void add_lane_products(const T* x, std::size_t num_inputs,
                                    const T* delta, std::size_t num_instances,
                                    T* sum, std::size_t sum_stride) {
  for_lane_rows(num_inputs, [&]<std::size_t kRows>(std::size_t i) {
    add_lane_products_tile<kRows>(x + i * kLaneTile<T>, delta, num_instances,
                                  sum + i * sum_stride, sum_stride);
  });
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
