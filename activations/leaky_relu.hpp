// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The rectifier with slope 0.01 for negative inputs.
///
/// The slope keeps the gradient of every unit nonzero.
///
/// \source Maas, Hannun and Ng 2013, Rectifier Nonlinearities Improve Neural
///         Network Acoustic Models, section 2
struct LeakyRelu {
  static constexpr std::string_view kName = "leaky-relu";

  /// The slope for negative z.
  static constexpr double kSlope = 0.01;

  /// Returns z if z is positive and kSlope z otherwise.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, constant<Number>(kSlope) * z);
  }

  /// Returns 1 if the value is positive and kSlope otherwise.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return where_positive(value, 1, kSlope);
  }
};

}  // namespace mlp::activations
