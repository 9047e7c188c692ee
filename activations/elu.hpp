// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The exponential linear unit with alpha = 1: smooth at 0, and -1 far below.
///
/// \source Clevert, Unterthiner and Hochreiter 2016, Fast and Accurate Deep
///         Network Learning by Exponential Linear Units, section 3
struct Elu {
  static constexpr std::string_view kName = "elu";

  /// Returns z where it is positive, exp(z) - 1 elsewhere, with expm1, which
  /// does not cancel at small z.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, expm1(z));
  }

  /// Returns 1 where the value is positive, exp(z) = value + 1 elsewhere.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return where_positive(value, 1, value + 1);
  }
};

}  // namespace mlp::activations
