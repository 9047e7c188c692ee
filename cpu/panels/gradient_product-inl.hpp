// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Computes the gradient of the weights over instances.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_GRADIENT_PRODUCT_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_GRADIENT_PRODUCT_INL_HPP
#undef MLP_CPU_PANELS_GRADIENT_PRODUCT_INL_HPP
#else
#define MLP_CPU_PANELS_GRADIENT_PRODUCT_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "../base/nonzeros-inl.hpp"
#include "../base/panel_product-inl.hpp"
#include "../base/panels-inl.hpp"
#include "../base/prefetch-inl.hpp"
#include "../base/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A panel of inputs and one of deltas of the same instances.
template <typename T>
struct GradientFactors {
  const T* inputs;  ///< from the first instance on, as deltas
  std::size_t num_inputs;
  const T* deltas;
  std::size_t num_outputs;
};

/// Computes a part of dW^T over some instances: a panel of inputs by one of
/// outputs.
///
/// \param[in,out] sum    columns kPanelRows apart   [kPanelRows x num_outputs]
/// \param         ahead  prefetched, because the next tile reads it
template <Start kStart, typename T>
HWY_INLINE void multiply_instances(const GradientFactors<T>& factors,
                                   std::size_t num_instances, T* sum,
                                   const Ahead& ahead = {}) {
  multiply_panel<kStart, Over::kInstances>(
      Product<T>{num_instances, factors.inputs, factors.deltas, sum, nullptr, 0,
                 ahead},
      factors.num_inputs, factors.num_outputs);
}

/// Computes a part of dW, the transpose, without the instances that are zero in a whole
/// group of inputs.
///
/// \param[in,out] sum  columns kPanelRows apart   [kPanelRows x num_inputs]
template <Start kStart, typename T>
HWY_INLINE void multiply_listed_instances(const GradientFactors<T>& factors,
                                          const Nonzeros<T>& nonzeros,
                                          std::size_t input_panel, T* sum) {
  for (std::size_t i = 0; i < factors.num_inputs; i += kGroupSize) {
    const std::size_t group = i / kGroupSize;
    const std::size_t num_terms = nonzeros.num_instances(input_panel, group);
    if (kStart == Start::kResult && num_terms == 0) continue;
    multiply_listed<kStart, Over::kInstances>(
        Product<T>{0, factors.deltas, factors.inputs + i,
                   sum + i * kPanelRows<T>, nullptr, 0},
        (factors.num_outputs + kLanes<T> - 1) / kLanes<T>,
        nonzeros.instances(input_panel, group), num_terms,
        std::min(kGroupSize, factors.num_inputs - i));
  }
}

/// Adds the deltas of a panel in the order of the instances: db.
///
/// \param[in,out] sum  [kPanelRows]
template <typename T>
void add_deltas(const T* deltas, std::size_t num_vectors, std::size_t size,
                T* sum) {
  const Tag<T> d;
  for (std::size_t v = 0; v < num_vectors; ++v) {
    const T* column = deltas + v * kLanes<T>;
    auto total = hn::Load(d, sum + v * kLanes<T>);
    for (std::size_t j = 0; j < size; ++j) {
      total = hn::Add(total, hn::Load(d, column + j * kPanelRows<T>));
    }
    hn::Store(total, d, sum + v * kLanes<T>);
  }
}

/// Whether a result is added to what is there, or replaces it.
enum class Write { kAdd, kReplace };

/// Writes a square of dW^T to a flat gradient.
///
/// \param         sum  columns kPanelRows apart
/// \param[in,out] to   rows stride apart
template <Write kWrite, typename T, typename Number>
HWY_INLINE void write_square(const T* sum, Number* to, std::size_t stride) {
  transpose_square<Number>(
      [&](auto d, std::size_t o) HWY_ATTR {
        const hn::Rebind<T, decltype(d)> from_d;
        const auto numbers = hn::LoadU(from_d, sum + o * kPanelRows<T>);
        if constexpr (sizeof(T) == sizeof(Number)) {
          return numbers;
        } else {
          return hn::PromoteTo(d, numbers);
        }
      },
      [&](auto d, std::size_t i, auto row) HWY_ATTR {
        if constexpr (kWrite == Write::kAdd) {
          row = hn::Add(hn::LoadU(d, to + i * stride), row);
        }
        hn::StoreU(row, d, to + i * stride);
      });
}

/// Writes dW^T of a panel of inputs and some outputs to a flat gradient.
///
/// \param         sum   columns kPanelRows apart   [kPanelRows x num_outputs]
/// \param[in,out] flat  rows stride apart   [num_outputs x num_inputs]
template <Write kWrite, typename T, typename Number>
void write_transpose(const T* sum, std::size_t num_inputs,
                     std::size_t num_outputs, Number* flat,
                     std::size_t stride) {
  constexpr std::size_t kSide = kSquare<Number>;
  const std::size_t whole_inputs = num_inputs / kSide * kSide;
  const std::size_t whole_outputs = num_outputs / kSide * kSide;
  for (std::size_t i = 0; i < whole_inputs; i += kSide) {
    for (std::size_t o = 0; o < whole_outputs; o += kSide) {
      write_square<kWrite>(sum + o * kPanelRows<T> + i, flat + i * stride + o,
                           stride);
    }
  }
  for (std::size_t i = 0; i < num_inputs; ++i) {
    for (std::size_t o = i < whole_inputs ? whole_outputs : 0; o < num_outputs;
         ++o) {
      const auto number = static_cast<Number>(sum[o * kPanelRows<T> + i]);
      Number& to = flat[i * stride + o];
      to = kWrite == Write::kAdd ? to + number : number;
    }
  }
}

/// Writes dW of some outputs and a panel of inputs to a flat gradient.
///
/// \param         sum   columns kPanelRows apart   [num_outputs x num_inputs]
/// \param[in,out] flat  rows stride apart   [num_outputs x num_inputs]
template <Write kWrite, typename T, typename Number>
void write_columns(const T* sum, std::size_t num_inputs,
                   std::size_t num_outputs, Number* flat, std::size_t stride) {
  for (std::size_t i = 0; i < num_inputs; ++i) {
    for (std::size_t o = 0; o < num_outputs; ++o) {
      const auto number = static_cast<Number>(sum[i * kPanelRows<T> + o]);
      Number& to = flat[i * stride + o];
      to = kWrite == Write::kAdd ? to + number : number;
    }
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
