// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "../../activations/activation.hpp"

namespace mlp {

/// The activation functions by their definition, in long double: 11 bits more
/// than double, so that its own rounding does not count. The two formulas that
/// would cancel or overflow are written so that they do not. A function without
/// a definition here is compared with its own text in long double.
struct ExactActivation {
  using Exact = long double;

  std::string_view name;

  [[nodiscard]] Exact value(Exact z) const {
    if (name == "sigmoid") return logistic(z);
    if (name == "tanh") return std::tanh(z);
    if (name == "softplus") {
      return (z > 0 ? z : 0) + std::log1p(std::exp(-std::fabs(z)));
    }
    if (name == "relu") return z > 0 ? z : 0;
    if (name == "leaky-relu") return z > 0 ? z : z * 0.01L;
    if (name == "elu") return z > 0 ? z : std::expm1(z);
    if (name == "swish") return z * logistic(z);
    return Activation::find(name)->value(z);
  }

  [[nodiscard]] Exact derivative(Exact z) const {
    if (name == "sigmoid") return logistic(z) * logistic(-z);
    if (name == "tanh") return 1 / (std::cosh(z) * std::cosh(z));
    if (name == "softplus") return logistic(z);
    if (name == "relu") return z > 0 ? 1 : 0;
    if (name == "leaky-relu") return z > 0 ? 1 : 0.01L;
    if (name == "elu") return z > 0 ? 1 : std::exp(z);
    if (name == "swish") return logistic(z) * (1 + z * logistic(-z));
    const Activation activation = *Activation::find(name);
    return activation.derivative(z, activation.value(z));
  }

 private:
  static Exact logistic(Exact z) { return 1 / (1 + std::exp(-z)); }
};

/// How far results may lie from the exact ones.
template <typename T>
struct ActivationTolerance {
  /// Of a value or a slope: three functions or operations in a row, each of
  /// which is off by an ulp or little more.
  static constexpr double kUlps = 4.0;

  /// Of a slope that is computed from the rounded value: where it falls to 0
  /// beside a value near 1, the value's own two or three ulps remain.
  static constexpr double kSlope = sizeof(T) == sizeof(double) ? 1e-15 : 5e-7;

  /// Where results are denormal, or a step on the way is.
  static constexpr T kVanishing = std::numeric_limits<T>::min();

  /// Returns the distance from an exact number in units of the last place, 0
  /// where both vanish and infinity for NaN.
  [[nodiscard]] static double ulps(T result, long double exact) {
    const long double error = std::fabs(result - exact);
    if (std::isnan(result)) return std::numeric_limits<double>::infinity();
    if (error <= kVanishing) return 0.0;
    int exponent = 0;
    std::frexp(static_cast<T>(exact), &exponent);
    return static_cast<double>(
        std::ldexp(error, std::numeric_limits<T>::digits - exponent));
  }
};

/// Weighted sums of every size: even steps through all that the functions tell
/// apart, and powers from the smallest number to the largest, of both signs.
template <typename T>
[[nodiscard]] std::vector<T> weighted_sums() {
  using Limits = std::numeric_limits<T>;
  const T far = sizeof(T) == sizeof(double) ? T(800) : T(110);
  std::vector<T> sums = {T(0), Limits::denorm_min(), Limits::min(),
                         Limits::max()};
  for (const T range : {T(1), T(5), T(45), far}) {
    constexpr int kSteps = 10007;  // a prime: few of them are round numbers
    for (int i = 1; i <= kSteps; ++i) {
      sums.push_back(range * static_cast<T>(i) / static_cast<T>(kSteps));
    }
  }
  for (T z = Limits::min(); z < Limits::max() / 2; z *= T(1.37)) {
    sums.push_back(z);
  }
  const std::size_t size = sums.size();
  for (std::size_t i = 0; i < size; ++i) sums.push_back(-sums[i]);
  return sums;
}

}  // namespace mlp
