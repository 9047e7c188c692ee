// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Applies activation functions and their derivatives to vectors.
// Included once per instruction set, so the include guard toggles.
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

/// Returns f'(z) of F, given a = f(z), and z for the few F that need it.
template <class F, class D>
HWY_INLINE hn::Vec<D> activation_derivative(D d, hn::Vec<D> z, hn::Vec<D> a) {
  return FormulaValue<D>{d, z, a}(
      activations::derivative<F>(activations::Input{}, activations::Output{}));
}

/// Computes a = f(z) for whole vectors.
///
/// \param      z  may be a       [size]
/// \param[out] a  [size]
/// \pre size is a multiple of kLanes<T>; arrays need not be aligned
template <class F, typename T>
HWY_INLINE void apply_activation(const T* z, std::size_t size, T* a) {
  const Tag<T> d;
  for (std::size_t i = 0; i < size; i += kLanes<T>) {
    hn::StoreU(activation_value<F>(d, hn::LoadU(d, z + i)), d, a + i);
  }
}

/// Computes delta *= f'(z) for whole vectors.
///
/// \param         z      read only if activations::kNeedsInput<F>      [size]
/// \param         a      f(z)                                          [size]
/// \param[in,out] delta  in: derivative by a; out: derivative by z     [size]
/// \pre size is a multiple of kLanes<T>; arrays need not be aligned
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
