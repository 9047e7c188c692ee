// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The rectified linear unit (ReLU).
///
/// \source Glorot, Bordes and Bengio 2011, Deep Sparse Rectifier Neural
///         Networks
struct Relu {
  static constexpr std::string_view kName = "relu";

  /// Returns max(z, 0); 0 for -0.0 and NaN for NaN.
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return where_positive(z, z, 0);
  }

  /// Returns 1 if the value is positive and 0 otherwise, also at z = 0.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return where_positive(value, 1, 0);
  }
};

}  // namespace mlp::activations
