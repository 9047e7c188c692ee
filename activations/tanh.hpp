// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The hyperbolic tangent.
///
/// Its values lie between -1 and 1, so the inputs of the next layer are centred
/// around 0.
///
/// \source LeCun, Bottou, Orr and Müller 1998, Efficient BackProp, section 4.4
struct Tanh {
  static constexpr std::string_view kName = "tanh";

  /// Returns (1 - e) / (1 + e) with the sign of z, where e = exp(-2 |z|). It
  /// uses expm1, so that nothing cancels at small z and nothing overflows at
  /// large z.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    const auto u = expm1(-2 * abs(z));
    return with_sign(u / (u + 2), z);
  }

  /// Returns 1 - value^2, computed as a product. If |value| is near 1, the
  /// product does not lose more precision than the value has already lost.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return (1 - value) * (1 + value);
  }
};

}  // namespace mlp::activations
