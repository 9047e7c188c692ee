// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The sum times its logistic function; also called SiLU.
///
/// \source Ramachandran, Zoph and Le 2017, Searching for Activation Functions,
///         section 4
struct Swish {
  static constexpr std::string_view kName = "swish";

  /// Returns z / (1 + exp(-z)). With e = exp(-|z|) it is z / (1 + e) above 0
  /// and z e / (1 + e) below, where exp(-z) would overflow.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    const auto e = exp(-abs(z));
    return z * where_positive(z, 1, e) / (1 + e);
  }

  /// Returns s + value (1 - s), s the logistic function of z. Many z share a
  /// value, so that z is needed; 1 - s is computed without cancellation.
  template <class Number, class Value>
  [[nodiscard]] static constexpr auto derivative(Number z, Value value) {
    const auto e = exp(-abs(z));
    const auto s = where_positive(z, 1, e) / (1 + e);
    const auto rest = where_positive(z, e, 1) / (1 + e);
    return s + value * rest;
  }
};

}  // namespace mlp::activations
