// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../../optim/summary.hpp"
#include "../objective/baseline.hpp"
#include "../result/fit_warning.hpp"

/// The rules by which a fit warns of a result that is probably not what the caller
/// wants.
namespace mlp {

/// What may help a network that has not learned.
enum class NextStep {
  kSmallerSteps,  ///< the objective rose
  kScale,
  kTrainLonger,  ///< maxIter ended the training
  kOtherData,
};

namespace detail {

/// Formats a number with the digits that a reader needs.
inline std::string short_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

inline std::string describe(NextStep step) {
  switch (step) {
    case NextStep::kSmallerSteps:
      return "the objective rose, so a smaller stepSize may help";
    case NextStep::kScale:
      return "standardised features often help";
    case NextStep::kTrainLonger:
      return "a larger maxIter, or other layers may help";
    default:
      return "the features may say nothing about the labels; other layers may "
             "help";
  }
}

inline std::string feature_name(const datasets::Dataset& data, Index i) {
  const auto at = static_cast<std::size_t>(i);
  return at < data.feature_names.size() ? '\'' + data.feature_names[at] + '\''
                                        : std::to_string(i);
}

}  // namespace detail

/// Warns of features of very different sizes or with large values: a network learns
/// badly from them.
///
/// \cost one pass over the features
[[nodiscard]] inline std::optional<FitWarning> warn_of_scale(
    const datasets::Dataset& data) {
  constexpr double kLargest = 100.0;
  constexpr double kLargestRatio = 100.0;
  if (data.num_instances() == 0 || data.num_features() == 0) {
    return std::nullopt;
  }
  Vector sizes = Vector::Zero(data.num_features());
  data.visit_features([&](Index /*first*/, const auto& features) {
    for (Index i = 0; i < features.cols(); ++i) {
      sizes = sizes.cwiseMax(features.col(i).cwiseAbs());
    }
  });
  Index largest = 0;
  const double most = sizes.maxCoeff(&largest);
  Index smallest = largest;
  for (Index i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 0.0 && sizes[i] < sizes[smallest]) smallest = i;
  }
  const bool is_uneven = most > kLargestRatio * sizes[smallest];
  if (!is_uneven && most <= kLargest) return std::nullopt;
  FitWarning warning{FitWarningCode::kUnevenScale,
                     "feature " + detail::feature_name(data, largest) +
                         " reaches " + format_double(most),
                     {{"largest", most}}};
  if (is_uneven) {
    warning.sentence += ", and feature " +
                        detail::feature_name(data, smallest) + " only " +
                        format_double(sizes[smallest]);
    warning.numbers.emplace_back("smallest", sizes[smallest]);
  }
  warning.sentence +=
      "; most networks need standardised features, of mean 0 and deviation 1";
  return warning;
}

/// Warns of a line search that failed before the objective fell.
[[nodiscard]] inline std::optional<FitWarning> warn_of_search(
    const optim::Summary& summary) {
  constexpr double kLeastDecrease = 1e-3;
  const auto& history = summary.objective_history;
  if (summary.convergence_reason !=
          optim::ConvergenceReason::kLineSearchFailed ||
      history.front() - history.back() >=
          kLeastDecrease * std::abs(history.front())) {
    return std::nullopt;
  }
  return FitWarning{
      FitWarningCode::kSearchFailed,
      "the line search failed before the network learned: the objective was " +
          detail::short_number(history.front()) + " at the start and is " +
          detail::short_number(history.back()) +
          " at the end; standardised features or another solver often help",
      {{"first", history.front()}, {"last", history.back()}}};
}

/// Warns of a training that maxIter ended while the objective still fell. It says
/// nothing of fewer than 10 iterations, which are a trial.
[[nodiscard]] inline std::optional<FitWarning> warn_of_max_iter(
    const optim::Summary& summary) {
  constexpr double kLeastDecrease = 0.01;
  constexpr double kLeastShare = 1e-3;
  constexpr Index kFraction = 10;
  const auto& history = summary.objective_history;
  const Index tail = summary.total_iterations() / kFraction;
  if (summary.convergence_reason != optim::ConvergenceReason::kMaxIter ||
      tail == 0) {
    return std::nullopt;
  }
  const double before =
      history[history.size() - 1 - static_cast<std::size_t>(tail)];
  const double decrease = (before - history.back()) / std::abs(before);
  // An objective near 0 falls for ever.
  const bool is_visible =
      before - history.back() > kLeastShare * std::abs(history.front());
  if (!(decrease > kLeastDecrease) || !is_visible) return std::nullopt;
  return FitWarning{
      FitWarningCode::kStillImproving,
      "the training ended at maxIter while the objective still fell, by " +
          detail::short_number(100.0 * decrease) + " % in the last " +
          std::to_string(tail) + (tail == 1 ? " iteration" : " iterations") +
          "; a larger maxIter may give a better model",
      {{"decrease", decrease}, {"iterations", static_cast<double>(tail)}}};
}

/// Returns true if a loss is so large that a classifier may be right no more often
/// than a prediction of the largest class: an instance that it gets wrong has a loss
/// of at least ln 2.
///
/// \param smoothing  of the labels
[[nodiscard]] inline bool may_be_wrong_as_often(double loss, double smoothing,
                                                const Baseline& baseline) {
  return baseline.loss > 0.0 &&
         loss >= (1.0 - smoothing) * (1.0 - baseline.accuracy) * std::log(2.0);
}

/// Warns of a classifier that is right no more often than a prediction of the
/// largest class.
///
/// \param accuracy  share of the training instances, by their weights
[[nodiscard]] inline std::optional<FitWarning> warn_of_accuracy(
    double accuracy, const Baseline& baseline, NextStep step) {
  constexpr double kRounding = 1e-9;
  if (baseline.loss == 0.0 || accuracy > baseline.accuracy + kRounding) {
    return std::nullopt;
  }
  return FitWarning{
      FitWarningCode::kNoBetterThanConstant,
      "the network is right for " + detail::short_number(100.0 * accuracy) +
          " % of the training rows, and a prediction of the largest class is "
          "for " +
          detail::short_number(100.0 * baseline.accuracy) + " %; " +
          detail::describe(step),
      {{"accuracy", accuracy}, {"baseline", baseline.accuracy}}};
}

/// Returns true if a loss is hardly below that of a prediction without features.
///
/// \param baseline  Baseline::loss; 0 if there is nothing to learn
[[nodiscard]] inline bool is_near_baseline(double loss, double baseline) {
  constexpr double kLeastGain = 0.01;
  return baseline > 0.0 && loss > (1.0 - kLeastGain) * baseline;
}

/// Warns of a network that is no better than a prediction without features.
///
/// \param loss  the mean loss of the network, without a penalty
[[nodiscard]] inline std::optional<FitWarning> warn_of_loss(double loss,
                                                            double baseline,
                                                            bool has_classes,
                                                            NextStep step) {
  if (!is_near_baseline(loss, baseline)) return std::nullopt;
  return FitWarning{FitWarningCode::kNoBetterThanConstant,
                    std::string("the network predicts no better than ") +
                        (has_classes ? "the frequencies of the classes"
                                     : "the mean of the labels") +
                        ": a loss of " + detail::short_number(loss) +
                        ", against " + detail::short_number(baseline) + "; " +
                        detail::describe(step),
                    {{"loss", loss}, {"baseline", baseline}}};
}

/// Warns of a validation loss that never fell below its start, or is not finite.
[[nodiscard]] inline std::optional<FitWarning> warn_of_validation(
    const optim::Summary& summary) {
  const auto& losses = summary.validation_history;
  if (losses.size() < 2) return std::nullopt;
  const bool is_finite = std::isfinite(losses.back());
  const bool has_fallen = summary.best_iteration() > 0;
  if (is_finite && has_fallen) return std::nullopt;
  FitWarning warning{FitWarningCode::kValidationDiverged,
                     "the validation loss ",
                     {{"first", losses.front()}, {"last", losses.back()}}};
  if (is_finite) {
    warning.sentence +=
        "never fell below " + detail::short_number(losses.front()) +
        ", its start, so the model has its initial weights; are "
        "its rows like those of the training?";
  } else {
    warning.sentence += "is " + format_double(losses.back()) +
                        " at the end; the model has the weights of iteration " +
                        std::to_string(summary.best_iteration()) +
                        ", the last with a lower loss";
  }
  return warning;
}

/// Warns of a model that is far better on its training rows than on unseen ones.
///
/// \param train   accuracy or R2 on the training rows
/// \param unseen  the mean over the folds of a cross-validation
/// \param error   of this mean: the deviation between the folds by the root of
///                their number
[[nodiscard]] inline std::optional<FitWarning> warn_of_overfit(double train,
                                                               double unseen,
                                                               double error) {
  constexpr double kLargestGap = 0.15;
  if (!(train - unseen > std::max(kLargestGap, error))) return std::nullopt;
  const auto round = [](double score) {
    return format_double(std::round(100.0 * score) / 100.0);
  };
  return FitWarning{FitWarningCode::kOverfit,
                    "train " + round(train) + " is far above " + round(unseen) +
                        " on unseen rows: the network learns the training rows "
                        "by heart; a larger regParam or more rows help",
                    {{"train", train}, {"unseen", unseen}}};
}

/// Warns of the same if the unseen rows are those of one split. It says nothing of
/// fewer than 10 rows.
///
/// \param test         accuracy or R2 on the rows of the test
/// \param num_rows     of the test
/// \param is_accuracy  otherwise R2
/// \source Olkin, Finn 1995, Correlations redux, for the deviation of R2
[[nodiscard]] inline std::optional<FitWarning> warn_of_overfit_on_test(
    double train, double test, Index num_rows, bool is_accuracy) {
  constexpr Index kFewestRows = 10;
  constexpr double kDeviations = 2.0;
  if (num_rows < kFewestRows) return std::nullopt;
  const auto n = static_cast<double>(num_rows);
  // Not 0 if all rows are right, or none.
  const double share = (test * n + 1.0) / (n + 2.0);
  const double deviation =
      is_accuracy ? std::sqrt(share * (1.0 - share) / n)
                  : 2.0 * std::sqrt(std::abs(test) / n) * (1.0 - test);
  return warn_of_overfit(train, test, kDeviations * deviation);
}

}  // namespace mlp
