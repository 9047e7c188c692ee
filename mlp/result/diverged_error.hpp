// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../params/params.hpp"
#include "fit_result.hpp"

namespace mlp {

/// The error of a training whose last objective or whose weights are not finite.
///
/// It carries the last weights and the summary, so that a caller can still write
/// the history.
class DivergedError : public Error {
 public:
  DivergedError(const std::string& sentence, FitResult result)
      : Error(sentence),
        result_(std::make_shared<const FitResult>(std::move(result))) {}

  /// The last weights and the summary.
  [[nodiscard]] const FitResult& result() const { return *result_; }

  /// Returns the same error with other texts before and after its sentence.
  [[nodiscard]] DivergedError with_context(const std::string& before,
                                           const std::string& after) const {
    DivergedError error = *this;
    static_cast<Error&>(error) = Error(before + what() + after);
    return error;
  }

 private:
  // An exception must not throw when it is copied.
  std::shared_ptr<const FitResult> result_;
};

/// Returns true if the last objective or a weight is not finite.
[[nodiscard]] inline bool has_diverged(const FitResult& fit) {
  const auto& history = fit.summary.objective_history;
  return (!history.empty() && !std::isfinite(history.back())) ||
         !fit.model.weights().allFinite();
}

namespace detail {

/// Returns the first iteration whose objective is not finite; the number of
/// objectives if all are.
inline std::size_t first_lost(const std::vector<double>& history) {
  const auto lost = std::find_if_not(history.begin(), history.end(),
                                     [](double x) { return std::isfinite(x); });
  return static_cast<std::size_t>(lost - history.begin());
}

/// Names the first iteration whose objective is not finite, and the objective
/// before it. Returns an empty text if all are finite.
inline std::string describe_lost_objective(const std::vector<double>& history) {
  const std::size_t lost = first_lost(history);
  if (lost == history.size()) return "";
  std::string text = "the objective must stay finite; it is " +
                     format_double(history[lost]) + " at iteration " +
                     std::to_string(lost);
  if (lost > 0) {
    char before[32];
    std::snprintf(before, sizeof before, "%.6g", history[lost - 1]);
    text += std::string(" and was ") + before + " before";
  }
  return text;
}

/// Counts the weights that are not finite. Returns an empty text if all are.
inline std::string describe_lost_weights(const Vector& weights) {
  const Index num_nan = weights.array().isNaN().count();
  const Index num_infinite = weights.array().isInf().count();
  if (num_nan + num_infinite == 0) return "";
  std::string text;
  if (num_nan > 0) text = std::to_string(num_nan) + " NaN";
  if (num_infinite > 0) {
    text += (text.empty() ? "" : " and ") + std::to_string(num_infinite) +
            " infinite";
  }
  return text + (num_nan + num_infinite == 1 ? " weight of " : " weights of ") +
         std::to_string(weights.size());
}

/// Lists what may help, most likely first. If the first objective is not finite,
/// neither the size of the steps nor clipping is the reason.
inline std::vector<std::string> list_remedies(const FitResult& fit,
                                              const Params& params,
                                              bool is_scaled) {
  std::vector<std::string> remedies;
  if (!is_scaled) remedies.emplace_back("standardised features");
  if (params.initial_weights) remedies.emplace_back("smaller initialWeights");
  if (fit.model.is_regressor()) {
    remedies.emplace_back("labels in a larger unit");
  }
  const bool has_steps = params.solver != Solver::kLbfgs;
  if (has_steps && first_lost(fit.summary.objective_history) > 0) {
    remedies.emplace_back("a stepSize below " +
                          format_double(resolved_step_size(params)));
    if (params.clip_norm == 0.0 && params.clip_value == 0.0) {
      remedies.emplace_back("clipNorm 1");
    }
  } else if (!has_mini_batches(params.solver)) {
    remedies.emplace_back("solver adam");
  }
  if (remedies.empty()) remedies.emplace_back("another init or seed");
  return remedies;
}

}  // namespace detail

/// Describes what of a training is not finite, and what may help.
///
/// \param is_scaled  the features are standardised already
/// \pre   has_diverged(fit)
[[nodiscard]] inline std::string describe_divergence(const FitResult& fit,
                                                     const Params& params,
                                                     bool is_scaled) {
  const std::string objective =
      detail::describe_lost_objective(fit.summary.objective_history);
  const std::string weights =
      detail::describe_lost_weights(fit.model.weights());
  std::string text = objective;
  if (objective.empty()) {
    text = "the weights must stay finite; the network has " + weights +
           " after iteration " + std::to_string(fit.summary.total_iterations());
  } else if (!weights.empty()) {
    text += ", with " + weights;
  }
  const std::vector<std::string> remedies =
      detail::list_remedies(fit, params, is_scaled);
  const std::vector<std::string_view> names(remedies.begin(), remedies.end());
  return text + "; try " + join_choices(names);
}

}  // namespace mlp
