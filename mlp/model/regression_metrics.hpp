// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// How far predicted numbers are from the labels, by the definitions of Spark's
/// RegressionMetrics.
///
/// \source Spark mllib/evaluation/RegressionMetrics.scala
struct RegressionMetrics {
  Index num_instances = 0;
  double rmse = 0.0;  ///< root of the mean squared error
  double mae = 0.0;   ///< mean absolute error

  /// 1 - squared error / squared deviation of the labels from their mean: 1 is
  /// perfect, 0 what the mean itself gets. Where all labels are the same it is
  /// NaN, or -infinity.
  double r2 = 0.0;
};

/// Compares predictions with labels.
///
/// \param labels, predictions  [num_instances] each
/// \throws ShapeError for none, or another number of predictions
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
