// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
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

/// Computes the area under the ROC curve by the trapezoid rule: the share of the
/// pairs of a positive and a negative instance in which the positive one has the
/// larger score, where equal scores count half.
///
/// \param positives, negatives  scores, in any order; not NaN
/// \cost   O(n log n)
/// \source Fawcett 2006: An introduction to ROC analysis, section 7
inline std::optional<double> compute_roc_auc(std::vector<double> positives,
                                             std::vector<double> negatives) {
  if (positives.empty() || negatives.empty()) return std::nullopt;
  std::sort(positives.begin(), positives.end());
  std::sort(negatives.begin(), negatives.end());
  double num_pairs = 0.0;
  auto below = negatives.begin();
  auto not_above = negatives.begin();
  for (const double score : positives) {
    while (below != negatives.end() && *below < score) ++below;
    while (not_above != negatives.end() && *not_above <= score) ++not_above;
    num_pairs += static_cast<double>(below - negatives.begin()) +
                 static_cast<double>(not_above - below) / 2.0;
  }
  return num_pairs / (static_cast<double>(positives.size()) *
                      static_cast<double>(negatives.size()));
}

/// Computes the area of one class against all others. NaN counts as 0.
inline std::optional<double> compute_roc_auc_of(
    Index label, const std::vector<Index>& labels,
    const ConstMatrixRef& probability) {
  std::vector<double> positives;
  std::vector<double> negatives;
  negatives.reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double p = probability(label, static_cast<Index>(i));
    (labels[i] == label ? positives : negatives)
        .push_back(std::isnan(p) ? 0.0 : p);
  }
  return compute_roc_auc(std::move(positives), std::move(negatives));
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
  for (Index k = 0; k < num_classes; ++k) {
    metrics.roc_auc_by_class.push_back(
        detail::compute_roc_auc_of(k, classes, probability));
  }
  metrics.roc_auc = detail::summarize_roc_auc(metrics.roc_auc_by_class);
  return metrics;
}

}  // namespace mlp
