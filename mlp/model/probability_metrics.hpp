// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// Measures of the probabilities that a classifier predicts.
///
/// Spark's summary does not have them; the definitions are those of scikit-learn.
struct ProbabilityMetrics {
  /// The mean of -log(p), where p is the probability of the true class, at least
  /// the epsilon of float64 (2.2e-16) and at most 1 minus it.
  double log_loss = 0.0;

  /// The area under the ROC curve of each class against all others
  /// [num_classes]. Nothing for a class without instances, or if no instance has
  /// another class.
  std::vector<std::optional<double>> roc_auc_by_class;

  /// With two classes the area of class 1; with more, the mean over the classes
  /// that have one. Nothing if no class has one.
  std::optional<double> roc_auc;
};

namespace detail {

inline double compute_log_loss(const std::vector<Index>& labels,
                               const ConstMatrixRef& probability) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon();
  double sum = 0.0;
  for (Index i = 0; i < probability.cols(); ++i) {
    const double p = probability(labels[static_cast<std::size_t>(i)], i);
    // Written so that NaN counts as 0.
    sum -= std::log(p >= kLeast ? std::min(p, 1.0 - kLeast) : kLeast);
  }
  return sum / static_cast<double>(probability.cols());
}

/// Computes the area under the ROC curve of one class by the trapezoid rule:
/// instances with the same score are one step of the curve.
///
/// \param scores  not NaN   [num_instances]
/// \param order   scratch memory   [num_instances]
/// \cost   O(n log n)
/// \source Fawcett 2006: An introduction to ROC analysis, algorithm 3
inline std::optional<double> compute_roc_auc(const std::vector<Index>& labels,
                                             const ConstVectorRef& scores,
                                             Index label,
                                             std::vector<Index>& order) {
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return scores[a] > scores[b]; });
  double area = 0.0;  // in pairs of a positive and a negative instance
  double num_positive = 0.0;
  double num_negative = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    const double score = scores[order[first]];
    double positive = 0.0;
    double negative = 0.0;
    for (; first < order.size() && scores[order[first]] == score; ++first) {
      const bool is_positive =
          labels[static_cast<std::size_t>(order[first])] == label;
      (is_positive ? positive : negative) += 1.0;
    }
    area += negative * (num_positive + positive / 2.0);
    num_positive += positive;
    num_negative += negative;
  }
  if (num_positive == 0.0 || num_negative == 0.0) return std::nullopt;
  return area / (num_positive * num_negative);
}

/// Returns the area of a model from those of its classes.
inline std::optional<double> summarize_roc_auc(
    const std::vector<std::optional<double>>& by_class) {
  if (by_class.size() == 2) return by_class[1];
  double sum = 0.0;
  double count = 0.0;
  for (const std::optional<double>& area : by_class) {
    if (!area) continue;
    sum += *area;
    count += 1.0;
  }
  if (count == 0.0) return std::nullopt;
  return sum / count;
}

}  // namespace detail

/// Measures predicted probabilities against the true classes.
///
/// \param labels       class indices   [num_instances]
/// \param probability  [num_classes x num_instances]
/// \throws ShapeError if there are no instances, the sizes differ, or a label is
///         not a class
/// \cost   O(num_classes n log n)
[[nodiscard]] inline ProbabilityMetrics measure_probabilities(
    const ConstVectorRef& labels, const ConstMatrixRef& probability) {
  if (labels.size() == 0 || labels.size() != probability.cols()) {
    throw ShapeError(
        "probabilities must be one column per label, at least 1; "
        "got " +
        std::to_string(probability.cols()) + " for " +
        std::to_string(labels.size()) + " labels");
  }
  const Index num_classes = probability.rows();
  std::vector<Index> classes;
  classes.reserve(static_cast<std::size_t>(labels.size()));
  for (const double label : labels) {
    if (!(label >= 0.0 && label < static_cast<double>(num_classes))) {
      throw ShapeError("labels must be classes from 0 to " +
                       std::to_string(num_classes - 1) +
                       ", one per row of the probabilities");
    }
    classes.push_back(static_cast<Index>(label));
  }
  ProbabilityMetrics metrics;
  metrics.log_loss = detail::compute_log_loss(classes, probability);
  std::vector<Index> order(classes.size());
  for (Index k = 0; k < num_classes; ++k) {
    const Vector scores = probability.row(k).transpose().unaryExpr(
        [](double p) { return std::isnan(p) ? 0.0 : p; });
    metrics.roc_auc_by_class.push_back(
        detail::compute_roc_auc(classes, scores, k, order));
  }
  metrics.roc_auc = detail::summarize_roc_auc(metrics.roc_auc_by_class);
  return metrics;
}

}  // namespace mlp
