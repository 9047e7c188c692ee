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
  template <typename Real>
  [[nodiscard]] static Real value(Real z) {
    return Real{1} / (Real{1} + std::exp(-z));
  }

  /// Returns d value / d z, given the value itself: no second exp.
  template <typename Real>
  [[nodiscard]] static Real derivative(Real value) {
    return (Real{1} - value) * value;
  }
};

}  // namespace mlp::activations
