// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The rectifier that lets a hundredth of negative sums through, so that no
/// unit stays without a gradient.
///
/// \source Maas, Hannun and Ng 2013, Rectifier Nonlinearities Improve Neural
///         Network Acoustic Models, section 2
struct LeakyRelu {
  static constexpr std::string_view kName = "leaky-relu";

  /// The slope below 0.
  static constexpr double kSlope = 0.01;

  /// Returns z where it is positive, kSlope z elsewhere.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, constant<Number>(kSlope) * z);
  }

  /// Returns the slope, which the sign of the value tells.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return where_positive(value, 1, kSlope);
  }
};

}  // namespace mlp::activations
