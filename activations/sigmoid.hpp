// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace mlp::activations {

/// The logistic function, as Spark's SigmoidFunction computes it: not clamped,
/// so that exp overflows to infinity and the value becomes exactly 0.
///
/// \source Spark ml/ann/Layer.scala, SigmoidFunction
struct Sigmoid {
  /// Returns 1 / (1 + exp(-z)).
  [[nodiscard]] static double value(double z) {
    return 1.0 / (1.0 + std::exp(-z));
  }

  /// Returns d value / d z, given the value itself: no second exp.
  [[nodiscard]] static double derivative(double value) {
    return (1.0 - value) * value;
  }
};

}  // namespace mlp::activations
