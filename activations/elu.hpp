// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The exponential linear unit (ELU) with alpha = 1.
///
/// \source Clevert, Unterthiner and Hochreiter 2016, Fast and Accurate Deep
///         Network Learning by Exponential Linear Units, section 3
struct Elu {
  static constexpr std::string_view kName = "elu";

  /// Returns z if z is positive and exp(z) - 1 otherwise. expm1 avoids
  /// cancellation at small z.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, expm1(z));
  }

  /// Returns 1 if the value is positive and exp(z) = value + 1 otherwise.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return where_positive(value, 1, value + 1);
  }
};

}  // namespace mlp::activations
