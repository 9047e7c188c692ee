// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prediction intervals and sets of rows that the trainings of folds did not see.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/interval.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../model/coverage.hpp"
#include "../model/prediction_region.hpp"
#include "../params/params.hpp"
#include "../params/preset.hpp"

namespace mlp {

namespace detail {

/// What shares and sums lose by rounding.
inline constexpr double kShareRounding = 1e-9;

/// Returns the name of the coverage that is asked for.
inline std::string coverage_name(Task task) {
  return task == Task::kRegression ? "interval" : "coverage";
}

}  // namespace detail

/// The coverages that intervals and sets may have.
inline constexpr Interval kCoverages = above(0).and_below(1);

/// Refuses intervals and sets that nothing can give: they need rows that the trainings
/// of folds did not see.
///
/// \param coverage  of the intervals or sets; nothing for none
/// \throws ParamError naming interval or coverage
inline void check_coverage(const Params& params, std::optional<double> coverage,
                           Effort effort) {
  if (!coverage) return;
  const std::string name = detail::coverage_name(params.task);
  if (!params.thresholds.empty()) {
    throw ParamError(name,
                     "cannot be combined with thresholds, which may predict "
                     "a class that is not in the set");
  }
  if (!kCoverages.contains(*coverage)) {
    throw ParamError(
        name, "must be a number > 0 and < 1; got " + format_double(*coverage));
  }
  if (effort != Effort::kQuick) return;
  throw ParamError(name,
                   "needs rows that the trainings of folds did not see; "
                   "expected effort standard, got quick: leave out layers and "
                   "other settings of one training");
}

/// Refuses a coverage that is too large for the rows of folds: the quantiles would be
/// beyond the largest of the values.
///
/// \param folds  the instances of each fold
/// \throws ParamError naming interval or coverage
inline void check_coverage_rows(Task task, double coverage,
                                const std::vector<std::vector<Index>>& folds) {
  const double num_ends = task == Task::kRegression ? 2.0 : 1.0;
  const double needed =
      std::ceil(num_ends / (1.0 - coverage) - detail::kShareRounding) - 1.0;
  std::size_t num_rows = 0;
  std::size_t largest = 0;
  for (const auto& fold : folds) {
    num_rows += fold.size();
    largest = std::max(largest, fold.size());
  }
  if (static_cast<double>(num_rows - largest) >= needed) return;
  throw ParamError(
      detail::coverage_name(task),
      format_double(coverage) + " needs more rows; expected at least " +
          format_double(needed) + " in all folds but one, got " +
          std::to_string(num_rows - largest) + "; ask for a smaller one");
}

/// Returns the number that one more value is at most with a probability of at least
/// share, if all are drawn alike: the smallest value at which the weights of the values
/// up to it are at least share (sum of weights + 1). With weights of 1, these are
/// ceil(share (n + 1)) values. If all weigh less, it is the largest value.
///
/// \param values   [num_values], at least one
/// \param weights  [num_values]; one more value weighs 1
/// \param share    above 0 and below 1
/// \source Lei et al. 2018, Distribution-Free Predictive Inference for Regression,
///         2.2; the weights are those of Tibshirani et al. 2019, Conformal Prediction
///         Under Covariate Shift, 2
[[nodiscard]] inline double conservative_quantile(const ConstVectorRef& values,
                                                  const ConstVectorRef& weights,
                                                  double share) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return values[a] < values[b]; });
  const double needed =
      share * (weights.sum() + 1.0) * (1.0 - detail::kShareRounding);
  double sum = 0.0;
  for (const Index i : order) {
    sum += weights[i];
    if (sum >= needed) return values[i];
  }
  return values[order.back()];
}

/// Rows that were predicted by trainings without them, fold by fold.
struct PredictedRows {
  /// Numbers in units of the labels, or probabilities
  /// [num_outputs x num_instances]
  Matrix predictions;

  /// Numbers, or class indices   [num_targets x num_instances]
  Matrix labels;

  Vector weights;  ///< with a mean of 1   [num_instances]

  /// Returns some rows.
  [[nodiscard]] PredictedRows select(const std::vector<Index>& rows) const {
    return {predictions(Eigen::all, rows), labels(Eigen::all, rows),
            weights(rows)};
  }
};

/// Makes the intervals of a regressor: with c the coverage, the quantiles (1 - c) / 2
/// and (1 + c) / 2 of label - prediction.
///
/// \param rows  at least one
/// \source Lei et al. 2018, 2.2, at both ends
[[nodiscard]] inline PredictionInterval fit_prediction_interval(
    const PredictedRows& rows, double coverage) {
  const Matrix residuals = rows.labels - rows.predictions;
  const double share = (1.0 + coverage) / 2.0;
  PredictionInterval interval{coverage, Vector(residuals.rows()),
                              Vector(residuals.rows())};
  for (Index k = 0; k < residuals.rows(); ++k) {
    const Vector residual = residuals.row(k).transpose();
    interval.upper[k] = conservative_quantile(residual, rows.weights, share);
    interval.lower[k] = -conservative_quantile(-residual, rows.weights, share);
  }
  return interval;
}

/// Makes the sets of a classifier: with c the coverage, the quantile c of 1 - p, where p
/// is the probability of the label, is the most that a class of a set may lack.
///
/// \param rows  at least one
/// \source Sadinle et al. 2019, Least Ambiguous Set-Valued Classifiers With Bounded
///         Error Levels, 2
[[nodiscard]] inline PredictionSet fit_prediction_set(const PredictedRows& rows,
                                                      double coverage) {
  Vector lacking(rows.labels.cols());
  for (Index i = 0; i < lacking.size(); ++i) {
    lacking[i] = -rows.predictions(static_cast<Index>(rows.labels(0, i)), i);
  }
  return {coverage, -conservative_quantile(lacking, rows.weights, coverage)};
}

/// Measures how regions cover the rows of each fold, if they are made of the rows of
/// the other folds.
///
/// \param rows        of all folds, fold by fold
/// \param fold_sizes  their numbers of rows   [at least 2]
/// \param fit         makes intervals or sets of rows
template <typename Fit>
[[nodiscard]] Coverage measure_by_folds(const PredictedRows& rows,
                                        const std::vector<Index>& fold_sizes,
                                        const Fit& fit) {
  Coverage coverage;
  Index first = 0;
  for (const Index size : fold_sizes) {
    std::vector<Index> own;
    std::vector<Index> others;
    for (Index i = 0; i < rows.labels.cols(); ++i) {
      (i >= first && i < first + size ? own : others).push_back(i);
    }
    const PredictedRows fold = rows.select(own);
    coverage.add(measure_coverage(fit(rows.select(others)), fold.predictions,
                                  fold.labels, fold.weights),
                 fold.weights.sum() / rows.weights.sum());
    first += size;
  }
  return coverage;
}

}  // namespace mlp
