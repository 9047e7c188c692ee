// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

/// What the texts of the activation functions are written with, for a number.
/// formula.hpp has the same words for formulas.
///
/// Nothing here is clamped or approximated: the functions of the standard
/// library, within 1 ulp or 2 of it.
namespace mlp::activations {

/// Returns a factor or a summand that is no whole number, as a Number.
template <std::floating_point Number>
[[nodiscard]] constexpr Number constant(double value) {
  return static_cast<Number>(value);
}

template <std::floating_point Number>
[[nodiscard]] Number abs(Number x) {
  return std::fabs(x);
}

template <std::floating_point Number>
[[nodiscard]] Number exp(Number x) {
  return std::exp(x);
}

/// Returns exp(x) - 1 without cancellation at small x.
template <std::floating_point Number>
[[nodiscard]] Number expm1(Number x) {
  return std::expm1(x);
}

/// Returns log(1 + x) without cancellation at small x.
///
/// \pre x >= 0
template <std::floating_point Number>
[[nodiscard]] Number log1p(Number x) {
  return std::log1p(x);
}

/// Returns 1 / (1 + exp(-x)), with the bits of Spark's SigmoidFunction: not
/// clamped, so that exp overflows to infinity and the value becomes exactly 0.
template <std::floating_point Number>
[[nodiscard]] Number logistic(Number x) {
  return Number{1} / (Number{1} + std::exp(-x));
}

/// Returns the absolute value of the first with the sign of the second.
template <std::floating_point Number>
[[nodiscard]] Number with_sign(Number magnitude, Number sign) {
  return std::copysign(magnitude, sign);
}

/// Returns yes where x > 0, no where x <= 0 and NaN where x is NaN. Both may be
/// plain numbers.
template <std::floating_point Number, class Yes, class No>
[[nodiscard]] constexpr Number where_positive(Number x, Yes yes, No no) {
  if (x > 0) return static_cast<Number>(yes);
  return x <= 0 ? static_cast<Number>(no) : x;
}

}  // namespace mlp::activations
