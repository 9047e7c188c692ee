// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The softplus function log(1 + exp(z)), a smooth form of the rectifier.
///
/// \source Dugas, Bengio, Bélisle, Nadeau and Garcia 2001, Incorporating
///         Second-Order Functional Knowledge for Better Option Pricing
struct Softplus {
  static constexpr std::string_view kName = "softplus";

  /// Returns max(z, 0) + log(1 + exp(-|z|)), which cannot overflow.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, 0) + log1p(exp(-abs(z)));
  }

  /// Returns the logistic function of z, computed as 1 - exp(-value).
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return -expm1(-value);
  }
};

}  // namespace mlp::activations
