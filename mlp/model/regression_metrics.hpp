// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// Measures of the error of a regressor, as Spark's RegressionMetrics defines.
///
/// \source Spark mllib/evaluation/RegressionMetrics.scala
struct RegressionMetrics {
  Index num_instances = 0;
  double rmse = 0.0;  ///< root of the mean squared error
  double mae = 0.0;   ///< mean absolute error

  /// 1 - squared error / squared deviation of the labels from their mean. It is
  /// 1 for perfect predictions and 0 for a model that always predicts the mean.
  /// If all labels are equal, it is NaN or -infinity.
  double r2 = 0.0;
};

/// Computes the metrics of predictions against labels.
///
/// \param labels, predictions  [num_instances] each
/// \throws ShapeError if there are no labels or the sizes differ
[[nodiscard]] inline RegressionMetrics measure_regression(
    const Vector& labels, const Vector& predictions) {
  if (labels.size() == 0 || labels.size() != predictions.size()) {
    throw ShapeError("predictions must be one per label, at least 1; got " +
                     std::to_string(predictions.size()) + " for " +
                     std::to_string(labels.size()) + " labels");
  }
  const auto count = static_cast<double>(labels.size());
  const Vector errors = labels - predictions;
  const double mean = labels.sum() / count;
  RegressionMetrics metrics;
  metrics.num_instances = labels.size();
  metrics.rmse = std::sqrt(errors.squaredNorm() / count);
  metrics.mae = errors.cwiseAbs().sum() / count;
  metrics.r2 = 1.0 - errors.squaredNorm() /
                         (labels.array() - mean).matrix().squaredNorm();
  return metrics;
}

}  // namespace mlp
