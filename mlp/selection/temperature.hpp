// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp {

namespace detail {

/// Computes the derivative of the sum of the negative log likelihoods by the
/// logarithm of the temperature.
///
/// With p = softmax(z / T), the derivative of -log p_y by log T is
/// (z_y - sum_k p_k z_k) / T.
inline double temperature_slope(const ConstMatrixRef& raw,
                                const ConstVectorRef& labels,
                                const Vector& weights, double temperature) {
  double sum = 0.0;
  Vector p(raw.rows());
  for (Index i = 0; i < raw.cols(); ++i) {
    p = raw.col(i) / temperature;
    p = (p.array() - p.maxCoeff()).exp();
    const double mean = p.dot(raw.col(i)) / p.sum();
    const double slope =
        (raw(static_cast<Index>(labels[i]), i) - mean) / temperature;
    sum += weights.size() == 0 ? slope : weights[i] * slope;
  }
  return sum;
}

}  // namespace detail

/// Finds the temperature by which raw predictions of unseen rows should be divided.
///
/// It minimises the sum of the negative log likelihoods of the rows plus
/// (log T)^2 / (2 kDeviation^2): a prior that few rows, or rows without a wrong
/// prediction, hardly change. The result is from 1/20 to 20.
///
/// \param raw      [num_classes x num_instances], finite
/// \param labels   class indices   [num_instances]
/// \param weights  [num_instances], or empty for 1 each
/// \throws ShapeError if the sizes differ
/// \cost   40 passes over raw
/// \source Guo et al. 2017, On Calibration of Modern Neural Networks, 4.2; the prior
///         is ours
[[nodiscard]] inline double fit_temperature(const ConstMatrixRef& raw,
                                            const ConstVectorRef& labels,
                                            const Vector& weights = {}) {
  constexpr double kDeviation = 0.25;
  constexpr int kHalvings = 40;
  if (raw.cols() != labels.size()) {
    throw ShapeError("raw predictions must have one column per label; got " +
                     std::to_string(raw.cols()) + " for " +
                     std::to_string(labels.size()) + " labels");
  }
  double low = -std::log(20.0);
  double high = std::log(20.0);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2.0;
    const double slope =
        detail::temperature_slope(raw, labels, weights, std::exp(middle)) +
        middle / (kDeviation * kDeviation);
    (slope > 0.0 ? high : low) = middle;
  }
  return std::exp((low + high) / 2.0);
}

}  // namespace mlp
