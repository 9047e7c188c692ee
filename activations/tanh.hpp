// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The hyperbolic tangent: a logistic function from -1 to 1, so that the inputs
/// of the next layer lie about 0.
///
/// \source LeCun, Bottou, Orr and Müller 1998, Efficient BackProp, section 4.4
struct Tanh {
  static constexpr std::string_view kName = "tanh";

  /// Returns (1 - e) / (1 + e), e = exp(-2 |z|), with the sign of z. With
  /// e - 1 = expm1 nothing cancels at small z, and nothing overflows at large.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    const auto u = expm1(-2 * abs(z));
    return with_sign(u / (u + 2), z);
  }

  /// Returns 1 - value^2. The product loses nothing more where |value| is
  /// nearly 1 than the value has lost.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return (1 - value) * (1 + value);
  }
};

}  // namespace mlp::activations
