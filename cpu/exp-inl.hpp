// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_EXP_INL_HPP
#undef MLP_CPU_EXP_INL_HPP
#else
#define MLP_CPU_EXP_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns 2^n for a whole n = -1022 .. 1023.
///
/// Adding 1.5 * 2^52 leaves the whole number in the low bits of the mantissa,
/// from where a shift takes it to the exponent.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V power_of_two(D d, V n) {
  const hn::RebindToUnsigned<D> bits;
  const V low = hn::Add(n, hn::Set(d, 0x1.8p52 + 1023.0));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(bits, low)));
}

/// Returns exp(x) within 1 ulp: infinity from 709.79 on, denormals and then 0
/// below -708.4, NaN for NaN.
///
/// x = n ln 2 + r, |r| <= ln 2 / 2; exp(r) by its Taylor polynomial of degree 13,
/// whose remainder is 4e-18. 2^n is applied in two halves, because 2^1024 and
/// 2^-1075 are no doubles.
///
/// \source Cody and Waite 1980, Software Manual for the Elementary Functions
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
  const V bounded = hn::Max(hn::Min(x, hn::Set(d, 710.0)), hn::Set(d, -746.0));
  const V n = hn::Round(hn::Mul(bounded, hn::Set(d, 1.4426950408889634)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefa3800p-1), bounded);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.ef35793c76730p-45), r);
  constexpr double kInverseFactorials[] = {1.0 / 6227020800.0,
                                           1.0 / 479001600.0,
                                           1.0 / 39916800.0,
                                           1.0 / 3628800.0,
                                           1.0 / 362880.0,
                                           1.0 / 40320.0,
                                           1.0 / 5040.0,
                                           1.0 / 720.0,
                                           1.0 / 120.0,
                                           1.0 / 24.0,
                                           1.0 / 6.0,
                                           0.5,
                                           1.0,
                                           1.0};
  V p = hn::Set(d, kInverseFactorials[0]);
  for (std::size_t i = 1; i < 14; ++i) {
    p = hn::MulAdd(p, r, hn::Set(d, kInverseFactorials[i]));
  }
  const V half = hn::Round(hn::Mul(n, hn::Set(d, 0.5)));
  p = hn::Mul(p, power_of_two(d, half));
  p = hn::Mul(p, power_of_two(d, hn::Sub(n, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, p);
}

/// Returns 1 / (1 + exp(-z)), as activations/sigmoid.hpp defines it.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V z) {
  const V one = hn::Set(d, 1.0);
  return hn::Div(one, hn::Add(one, exponential(d, hn::Neg(z))));
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
