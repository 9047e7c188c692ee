// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formula.hpp"
#include "number_math.hpp"

namespace mlp::activations {

/// The logistic function, as Spark's SigmoidFunction computes it.
///
/// \source Spark ml/ann/Layer.scala, SigmoidFunction
struct Sigmoid {
  static constexpr std::string_view kName = "sigmoid";

  /// Returns 1 / (1 + exp(-z)).
  template <class Number>
  [[nodiscard]] static constexpr auto value(Number z) {
    return logistic(z);
  }

  /// Returns d value / d z from the value, without a second exp.
  template <class Number>
  [[nodiscard]] static constexpr auto derivative(Number value) {
    return (1 - value) * value;
  }
};

}  // namespace mlp::activations
