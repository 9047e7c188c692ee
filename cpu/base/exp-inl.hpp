// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Computes exp(x), exp(x) - 1 and the logistic function on vectors.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_EXP_INL_HPP
#undef MLP_CPU_BASE_EXP_INL_HPP
#else
#define MLP_CPU_BASE_EXP_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The constants of exp(x) = 2^n exp(r), x = n ln 2 + r, |r| <= ln 2 / 2.
///
/// kEven and kOdd are the coefficients of the even and odd powers of q, highest
/// first, in exp(r) = 1 + r + r^2 q(r). The polynomial minimises the largest
/// relative error.
template <typename T>
struct ExpConstants;

/// The relative error of the polynomial is at most 3.7e-18.
template <>
struct ExpConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr double kBias = 1023.0;
  static constexpr double kRounder = 0x1.8p52;  ///< + rounds to integers
  static constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  static constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  static constexpr double kVanishing = -746.0;  ///< exp(x) is 0
  static constexpr double kLowest = -708.0;     ///< 2^n is a normal number
  static constexpr double kHighest = 710.0;     ///< 2^n is infinity
  static constexpr double kEven[] = {
      0x1.28ad72cc30daap-22, 0x1.a0199a0c677acp-16, 0x1.6c16c1842a11dp-10,
      0x1.555555555087cp-5, 0x1.000000000000ap-1};
  static constexpr double kOdd[] = {
      0x1.ad7f6f0799ee2p-26, 0x1.71df2552390c2p-19, 0x1.a01a012a57b51p-13,
      0x1.1111111127be5p-7, 0x1.55555555554fap-3};
};

/// The relative error of the polynomial is at most 3.1e-9.
template <>
struct ExpConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr float kBias = 127.0F;
  static constexpr float kRounder = 0x1.8p23F;
  static constexpr float kLn2High = 0x1.63p-1F;
  static constexpr float kLn2Low = -0x1.bd0106p-13F;
  static constexpr float kVanishing = -104.0F;
  static constexpr float kLowest = -87.0F;
  static constexpr float kHighest = 89.0F;
  static constexpr float kEven[] = {0x1.6a2434p-10F, 0x1.5558f2p-5F,
                                    0x1.fffffcp-2F};
  static constexpr float kOdd[] = {0x1.1239e2p-7F, 0x1.555492p-3F};
};

/// Evaluates a polynomial whose highest coefficient comes first.
template <class D, class V = hn::Vec<D>, std::size_t kSize>
HWY_INLINE V polynomial(D d, V x, const hn::TFromD<D> (&coefficients)[kSize]) {
  V sum = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kSize; ++i) {
    sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
  }
  return sum;
}

/// The parts of exp(x): exp(r) - 1, and the integer n to which the rounding
/// constant and the bias of the exponent have been added.
template <class D>
struct ExpParts {
  hn::Vec<D> reduced_minus_1;
  hn::Vec<D> biased_n;
};

/// Splits exp(x) into its parts.
///
/// Adding 1.5 * 2^52 rounds x / ln 2 and leaves n in the low bits of the
/// mantissa. The even and the odd coefficients form two chains, which halves
/// the latency.
///
/// \source Cody and Waite 1980, Software Manual for the Elementary Functions
template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<D> split_exponential(D d, V x) {
  using C = ExpConstants<hn::TFromD<D>>;
  const V rounder = hn::Set(d, C::kRounder + C::kBias);
  const V log2e = hn::Set(d, static_cast<hn::TFromD<D>>(1.4426950408889634));
  const V biased_n = hn::MulAdd(x, log2e, rounder);
  const V n = hn::Sub(biased_n, rounder);
  V r = hn::NegMulAdd(n, hn::Set(d, C::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, C::kLn2Low), r);
  const V square = hn::Mul(r, r);
  const V q = hn::MulAdd(polynomial(d, square, C::kOdd), r,
                         polynomial(d, square, C::kEven));
  return {hn::MulAdd(square, q, r), biased_n};
}

/// Returns 2^n from n + rounding constant + bias. A shift moves the low bits of
/// the mantissa to the exponent.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V power_of_two(D d, V biased_n) {
  const hn::RebindToUnsigned<D> bits;
  constexpr int kShift = ExpConstants<hn::TFromD<D>>::kMantissaBits;
  return hn::BitCast(d, hn::ShiftLeft<kShift>(hn::BitCast(bits, biased_n)));
}

/// Returns exp(x) within 1 ulp for every x, without a branch.
///
/// The result is infinity on overflow, denormal and then 0 on underflow, and
/// NaN for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential_anywhere(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ExpConstants<T>;
  const V one = hn::Set(d, static_cast<T>(1));
  // 2^n is computed as two factors, because 2^1024 and 2^-1075 are not doubles.
  const V bounded =
      hn::Max(hn::Min(x, hn::Set(d, C::kHighest)), hn::Set(d, C::kVanishing));
  const ExpParts<D> parts = split_exponential(d, bounded);
  const V rounder = hn::Set(d, C::kRounder + C::kBias);
  const V n = hn::Sub(parts.biased_n, rounder);
  const V half = hn::Sub(
      hn::MulAdd(n, hn::Set(d, static_cast<T>(0.5)), hn::Set(d, C::kRounder)),
      hn::Set(d, C::kRounder));
  V p = hn::Add(parts.reduced_minus_1, one);
  p = hn::Mul(p, power_of_two(d, hn::Add(half, rounder)));
  p = hn::Mul(p, power_of_two(d, hn::Add(hn::Sub(n, half), rounder)));
  return hn::IfThenElse(hn::IsNaN(x), x, p);
}

/// Returns the same bits as exponential_anywhere(), and is faster if all
/// results are normal numbers.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
  using T = hn::TFromD<D>;
  const V bound = hn::Set(d, -ExpConstants<T>::kLowest);
  if (hn::AllTrue(d, hn::Lt(hn::Abs(x), bound))) {
    const ExpParts<D> parts = split_exponential(d, x);
    const V one = hn::Set(d, static_cast<T>(1));
    return hn::Mul(hn::Add(parts.reduced_minus_1, one),
                   power_of_two(d, parts.biased_n));
  }
  return exponential_anywhere(d, x);
}

/// Returns exp(x) - 1 within 3 ulp, also for small x.
///
/// The result is infinity on overflow and NaN for NaN. Half the result, 2^(n-1)
/// (exp(r) - 1) + (2^(n-1) - 1/2), is computed and then doubled: it is finite
/// if the result is finite, and the first product is exact.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential_minus_1(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ExpConstants<T>;
  constexpr T kAllButMinus1 = static_cast<T>(-40);  // exp(x) < half an ulp of 1
  const V half = hn::Set(d, static_cast<T>(0.5));
  const V bounded =
      hn::Max(hn::Min(x, hn::Set(d, C::kHighest)), hn::Set(d, kAllButMinus1));
  const ExpParts<D> parts = split_exponential(d, bounded);
  const V scale =
      power_of_two(d, hn::Sub(parts.biased_n, hn::Set(d, static_cast<T>(1))));
  const V result =
      hn::MulAdd(parts.reduced_minus_1, scale, hn::Sub(scale, half));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Add(result, result));
}

/// Returns 1 / (1 + exp(-z)), as activations/sigmoid.hpp defines it.
///
/// The result is NaN for NaN. If it is below exp(-708), and so not a normal
/// number, the result is 0 or of that magnitude.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V z) {
  using C = ExpConstants<hn::TFromD<D>>;
  const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
  // On x86, min and max return their second operand if one operand is NaN, so
  // that NaN is kept. Highway's scalar functions do not.
  V x = hn::Max(hn::Set(d, C::kLowest),
                hn::Min(hn::Set(d, C::kHighest), hn::Neg(z)));
  if constexpr (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128) {
    x = hn::IfThenElse(hn::IsNaN(z), z, x);
  }
  const ExpParts<D> parts = split_exponential(d, x);
  const V scale = power_of_two(d, parts.biased_n);
  const V denominator =
      hn::MulAdd(hn::Add(parts.reduced_minus_1, one), scale, one);
  return hn::Div(one, denominator);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
