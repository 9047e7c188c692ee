// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace mlp::optim {

/// The reason why a solver stopped. None of the reasons is an error.
enum class ConvergenceReason {
  kNone,  ///< the run has not stopped
  kMaxIter,
  kFunctionValuesConverged,
  kGradientConverged,
  kLineSearchFailed,
  kWeightsConverged,
  kStoppedByCallback,
  kValidationStalled,
  kDiverged,  ///< the objective or a weight is not finite
};

/// The name of a reason in JSON, and a sentence that explains it.
struct ConvergenceText {
  ConvergenceReason reason;
  std::string_view name;
  std::string_view sentence;
};

inline constexpr auto kConvergenceTexts = std::to_array<ConvergenceText>({
    {ConvergenceReason::kNone, "none", "still running"},
    {ConvergenceReason::kMaxIter, "maxIter",
     "the number of iterations reached maxIter"},
    {ConvergenceReason::kFunctionValuesConverged, "functionValuesConverged",
     "the objective no longer changed by more than tol"},
    {ConvergenceReason::kGradientConverged, "gradientConverged",
     "the gradient fell to tol times the objective, or to gradientTol"},
    {ConvergenceReason::kLineSearchFailed, "lineSearchFailed",
     "the line search failed twice in a row"},
    {ConvergenceReason::kWeightsConverged, "weightsConverged",
     "the weights moved by less than tol"},
    {ConvergenceReason::kStoppedByCallback, "stoppedByCallback",
     "the training was stopped before its end"},
    {ConvergenceReason::kValidationStalled, "validationStalled",
     "the validation loss did not fall for patience iterations or epochs"},
    {ConvergenceReason::kDiverged, "diverged",
     "the objective or a weight is not finite"},
});

/// Returns the texts of a reason.
[[nodiscard]] inline const ConvergenceText& text_of(ConvergenceReason reason) {
  return kConvergenceTexts[static_cast<std::size_t>(reason)];
}

}  // namespace mlp::optim
