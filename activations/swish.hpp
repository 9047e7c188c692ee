// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The swish function z / (1 + exp(-z)), also called SiLU.
///
/// \source Ramachandran, Zoph and Le 2017, Searching for Activation Functions,
///         section 4
struct Swish {
  static constexpr std::string_view kName = "swish";

  /// Returns z / (1 + exp(-z)). With e = exp(-|z|) this is z / (1 + e) for
  /// positive z and z e / (1 + e) otherwise, so exp does not overflow.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    const auto e = exp(-abs(z));
    return z * where_positive(z, 1, e) / (1 + e);
  }

  /// Returns s + value (1 - s), where s is the logistic function of z. It needs
  /// z because two different z can have the same value. 1 - s is computed
  /// without cancellation.
  template <class Number, class Value>
  [[nodiscard]] static constexpr auto derivative(Number z, Value value) {
    const auto e = exp(-abs(z));
    const auto s = where_positive(z, 1, e) / (1 + e);
    const auto rest = where_positive(z, e, 1) / (1 + e);
    return s + value * rest;
  }
};

}  // namespace mlp::activations
