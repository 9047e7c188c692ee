// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/names.hpp"

namespace mlp {

/// What a fit warns of: a result that is valid, but probably not what the caller
/// wants.
enum class FitWarningCode {
  kSearchFailed,    ///< the line search failed before anything was learned
  kStillImproving,  ///< maxIter ended a training that still improved
  kNoBetterThanConstant,  ///< no better than a prediction without features
  kOverfit,               ///< far better on the training rows than on others
  kUnevenScale,           ///< features of very different or large sizes
  kValidationDiverged,    ///< the validation loss never fell, or is not finite
};

/// The name of each code in JSON, in Python and in the C interface.
inline constexpr auto kFitWarningNames = std::to_array<Named<FitWarningCode>>({
    {FitWarningCode::kSearchFailed, "searchFailed"},
    {FitWarningCode::kStillImproving, "stillImproving"},
    {FitWarningCode::kNoBetterThanConstant, "noBetterThanConstant"},
    {FitWarningCode::kOverfit, "overfit"},
    {FitWarningCode::kUnevenScale, "unevenScale"},
    {FitWarningCode::kValidationDiverged, "validationDiverged"},
});

/// A warning of a fit. It is data: front ends show it, raise it or log it.
struct FitWarning {
  FitWarningCode code = FitWarningCode::kSearchFailed;

  /// What was found and what may help, without a final full stop.
  std::string sentence;

  /// The numbers of the sentence and their names, for programs.
  std::vector<std::pair<std::string, double>> numbers;
};

/// Returns the name of a code.
[[nodiscard]] inline std::string_view warning_name(FitWarningCode code) {
  return name_in(kFitWarningNames, code);
}

/// Returns true if the model is probably of no use. Other warnings are advice: the
/// model has learned, and may learn more.
[[nodiscard]] constexpr bool is_serious(FitWarningCode code) {
  return code == FitWarningCode::kSearchFailed ||
         code == FitWarningCode::kNoBetterThanConstant ||
         code == FitWarningCode::kValidationDiverged;
}

}  // namespace mlp
