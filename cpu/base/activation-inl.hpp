// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_BASE_ACTIVATION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_ACTIVATION_INL_HPP
#undef MLP_CPU_BASE_ACTIVATION_INL_HPP
#else
#define MLP_CPU_BASE_ACTIVATION_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "../../activations/activation.hpp"
#include "formula-inl.hpp"
#include "panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns f(z) of the activation function F.
template <class F, class D>
HWY_INLINE hn::Vec<D> activation_value(D d, hn::Vec<D> z) {
  return FormulaValue<D>{d, z, z}(F::value(activations::Input{}));
}

/// Returns f'(z) of F, given z, which few need, and a = f(z).
template <class F, class D>
HWY_INLINE hn::Vec<D> activation_derivative(D d, hn::Vec<D> z, hn::Vec<D> a) {
  return FormulaValue<D>{d, z, a}(
      activations::derivative<F>(activations::Input{}, activations::Output{}));
}

/// a = f(z), whole vectors.
///
/// \param      z  may be a       [size]
/// \param[out] a  [size]
/// \pre size is a multiple of kLanes<T>; no alignment is asked for
template <class F, typename T>
HWY_INLINE void apply_activation(const T* z, std::size_t size, T* a) {
  const Tag<T> d;
  for (std::size_t i = 0; i < size; i += kLanes<T>) {
    hn::StoreU(activation_value<F>(d, hn::LoadU(d, z + i)), d, a + i);
  }
}

/// delta *= f'(z), whole vectors.
///
/// \param         z      not read unless activations::kNeedsInput<F>   [size]
/// \param         a      f(z)                                          [size]
/// \param[in,out] delta  derivative by a, then by z                    [size]
/// \pre size is a multiple of kLanes<T>; no alignment is asked for
template <class F, typename T>
HWY_INLINE void multiply_derivative(const T* z, const T* a, std::size_t size,
                                    T* delta) {
  const Tag<T> d;
  for (std::size_t i = 0; i < size; i += kLanes<T>) {
    const auto value = hn::LoadU(d, a + i);
    auto input = value;
    if constexpr (activations::kNeedsInput<F>) input = hn::LoadU(d, z + i);
    const auto slope = activation_derivative<F>(d, input, value);
    hn::StoreU(hn::Mul(hn::LoadU(d, delta + i), slope), d, delta + i);
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
