// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// Measures of the error of a regressor, as Spark's RegressionMetrics defines.
///
/// \source Spark mllib/evaluation/RegressionMetrics.scala
struct RegressionMetrics {
  Index num_instances = 0;

  /// The numbers that a regressor predicts for each instance; if it is above 1,
  /// the measures are means over them.
  Index num_targets = 1;

  double rmse = 0.0;  ///< root of the mean squared error
  double mae = 0.0;   ///< mean absolute error

  /// 1 - squared error / squared deviation of the labels from their mean. It is
  /// 1 for perfect predictions and 0 for a model that always predicts the mean.
  /// If all labels are equal, it is NaN or -infinity.
  double r2 = 0.0;
};

/// The sums from which RegressionMetrics are computed, of any number of instances.
/// Sums of several parts of the data can be united.
struct RegressionSums {
  double num_instances = 0.0;
  double squared_error = 0.0;
  double absolute_error = 0.0;
  double mean = 0.0;               ///< of the labels
  double squared_deviation = 0.0;  ///< of the labels from their mean

  /// \param labels, predictions  [num_instances] each
  [[nodiscard]] static RegressionSums of(const Vector& labels,
                                         const Vector& predictions) {
    RegressionSums sums;
    if (labels.size() == 0) return sums;
    const Vector errors = labels - predictions;
    sums.num_instances = static_cast<double>(labels.size());
    sums.squared_error = errors.squaredNorm();
    sums.absolute_error = errors.cwiseAbs().sum();
    sums.mean = labels.sum() / sums.num_instances;
    sums.squared_deviation =
        (labels.array() - sums.mean).matrix().squaredNorm();
    return sums;
  }

  /// Adds the sums of another part.
  ///
  /// \source Chan, Golub, LeVeque 1979: Updating Formulae and a Pairwise
  ///         Algorithm for Computing Sample Variances, formula 1.5
  void add(const RegressionSums& part) {
    const double count = num_instances + part.num_instances;
    if (count == 0.0) return;
    const double distance = part.mean - mean;
    squared_deviation +=
        part.squared_deviation +
        distance * distance * num_instances * part.num_instances / count;
    mean += distance * part.num_instances / count;
    squared_error += part.squared_error;
    absolute_error += part.absolute_error;
    num_instances = count;
  }

  /// \pre num_instances > 0
  [[nodiscard]] RegressionMetrics metrics() const {
    RegressionMetrics metrics;
    metrics.num_instances = static_cast<Index>(num_instances);
    metrics.rmse = std::sqrt(squared_error / num_instances);
    metrics.mae = absolute_error / num_instances;
    metrics.r2 = 1.0 - squared_error / squared_deviation;
    return metrics;
  }
};

/// Returns the mean of each measure over several targets.
///
/// \param by_target  at least 1, of the same instances
/// \source scikit-learn's multioutput="uniform_average"
[[nodiscard]] inline RegressionMetrics mean_metrics(
    const std::vector<RegressionMetrics>& by_target) {
  RegressionMetrics mean;
  mean.num_instances = by_target.front().num_instances;
  mean.num_targets = static_cast<Index>(by_target.size());
  const auto count = static_cast<double>(by_target.size());
  for (const RegressionMetrics& metrics : by_target) {
    mean.rmse += metrics.rmse / count;
    mean.mae += metrics.mae / count;
    mean.r2 += metrics.r2 / count;
  }
  return mean;
}

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
  return RegressionSums::of(labels, predictions).metrics();
}

}  // namespace mlp
