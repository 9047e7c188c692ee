// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

/// Mathematical functions of numbers, used by the activation functions.
///
/// formula.hpp defines functions of the same names for formulas. These
/// functions call the standard library without clamping or approximation; their
/// error is 1 or 2 ulp.
namespace mlp::activations {

/// Converts a constant that is not an integer to Number.
template <std::floating_point Number>
[[nodiscard]] constexpr Number constant(double value) {
  return static_cast<Number>(value);
}

template <std::floating_point Number>
[[nodiscard]] constexpr Number abs(Number x) {
  return std::fabs(x);
}

template <std::floating_point Number>
[[nodiscard]] constexpr Number exp(Number x) {
  return std::exp(x);
}

/// Returns exp(x) - 1 without cancellation at small x.
template <std::floating_point Number>
[[nodiscard]] constexpr Number expm1(Number x) {
  return std::expm1(x);
}

/// Returns log(1 + x) without cancellation at small x.
///
/// \pre x >= 0
template <std::floating_point Number>
[[nodiscard]] constexpr Number log1p(Number x) {
  return std::log1p(x);
}

/// Returns 1 / (1 + exp(-x)), with the same bits as Spark's SigmoidFunction.
///
/// The argument is not clamped: for very negative x, exp(-x) overflows to
/// infinity and the result is exactly 0.
template <std::floating_point Number>
[[nodiscard]] constexpr Number logistic(Number x) {
  return Number{1} / (Number{1} + std::exp(-x));
}

/// Returns the absolute value of `magnitude` with the sign of `sign`.
template <std::floating_point Number>
[[nodiscard]] constexpr Number with_sign(Number magnitude, Number sign) {
  return std::copysign(magnitude, sign);
}

/// Returns `yes` if x > 0, `no` if x <= 0 and NaN if x is NaN.
template <std::floating_point Number, class Yes, class No>
[[nodiscard]] constexpr Number where_positive(Number x, Yes yes, No no) {
  if (x > 0) return static_cast<Number>(yes);
  return x <= 0 ? static_cast<Number>(no) : x;
}

}  // namespace mlp::activations
