// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "../../core/types.hpp"
#include "model.hpp"
#include "prediction_region.hpp"

namespace mlp {

/// How often intervals or sets contain the label, and how large they are.
struct Coverage {
  double share = 0.0;  ///< of the labels inside; of several targets the mean

  /// The width of an interval, of several targets the mean; or the number of classes
  /// in a set.
  double mean_size = 0.0;

  /// Adds the coverage of other instances.
  ///
  /// \param weight  of these instances, as a share of all
  void add(const Coverage& other, double weight) {
    share += weight * other.share;
    mean_size += weight * other.mean_size;
  }
};

/// Measures intervals on labelled instances, at least one.
///
/// \param predictions  [num_outputs x num_instances]
/// \param labels       [num_outputs x num_instances]
/// \param weights      [num_instances], with a sum > 0; empty for 1 each
[[nodiscard]] inline Coverage measure_coverage(
    const PredictionInterval& interval, const ConstMatrixRef& predictions,
    const ConstMatrixRef& labels, const Vector& weights = {}) {
  const auto num_outputs = static_cast<double>(labels.rows());
  double inside = 0.0;
  for (Index i = 0; i < labels.cols(); ++i) {
    const auto low = (predictions.col(i) + interval.lower).array();
    const auto high = (predictions.col(i) + interval.upper).array();
    const auto label = labels.col(i).array();
    inside += (weights.size() == 0 ? 1.0 : weights[i]) *
              static_cast<double>((low <= label && label <= high).count());
  }
  const double sum =
      weights.size() == 0 ? static_cast<double>(labels.cols()) : weights.sum();
  return {inside / (sum * num_outputs),
          (interval.upper - interval.lower).mean()};
}

/// Measures sets on labelled instances, at least one.
///
/// \param probability  [num_classes x num_instances]
/// \param labels       class indices   [1 x num_instances]
/// \param weights      [num_instances], with a sum > 0; empty for 1 each
[[nodiscard]] inline Coverage measure_coverage(
    const PredictionSet& set, const ConstMatrixRef& probability,
    const ConstMatrixRef& labels, const Vector& weights = {}) {
  double sum = 0.0;
  Coverage coverage;
  for (Index i = 0; i < probability.cols(); ++i) {
    const double limit = set.least(probability.col(i));
    const double own = probability(static_cast<Index>(labels(0, i)), i);
    const auto size = (probability.col(i).array() >= limit).count();
    const double weight = weights.size() == 0 ? 1.0 : weights[i];
    coverage.add({own >= limit ? 1.0 : 0.0, static_cast<double>(size)}, weight);
    sum += weight;
  }
  return {coverage.share / sum, coverage.mean_size / sum};
}

/// Measures the intervals or sets of a model on labelled instances, at least one.
///
/// \param raw     what the model predicts, before the softmax
///                [num_outputs x num_instances]
/// \param labels  numbers, or class indices   [num_targets x num_instances]
/// \return nothing if the model has neither
[[nodiscard]] inline std::optional<Coverage> measure_coverage(
    const Model& model, const Matrix& raw, const ConstMatrixRef& labels) {
  if (model.prediction_interval()) {
    return measure_coverage(*model.prediction_interval(), raw, labels);
  }
  if (!model.prediction_set()) return std::nullopt;
  return measure_coverage(*model.prediction_set(), model.to_probability(raw),
                          labels);
}

}  // namespace mlp
