// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../convergence_reason.hpp"

namespace mlp::optim {

/// Tests if SciPy's L-BFGS-B stops: if no element of the gradient is larger than a
/// tolerance, or if an iteration lowers the objective by at most 1e7 roundings of
/// max(|f|, |f before|, 1).
///
/// \param largest      the largest absolute value of an element of the gradient
/// \param values       of the objective after each iteration
/// \param is_repeated  the last value repeats the one before, as after a search that
///                     failed
/// \source SciPy optimize/_lbfgsb_py.py, whose default of ftol it uses
[[nodiscard]] inline ConvergenceReason test_as_scipy(
    double largest, double tolerance, const std::vector<double>& values,
    bool is_repeated) {
  constexpr double kFtol = 1e7 * std::numeric_limits<double>::epsilon();
  if (largest <= tolerance) return ConvergenceReason::kGradientConverged;
  if (values.size() < 2 || is_repeated) return ConvergenceReason::kNone;
  const double now = values.back();
  const double before = values[values.size() - 2];
  const double size = std::max({std::abs(before), std::abs(now), 1.0});
  return before - now <= kFtol * size
             ? ConvergenceReason::kFunctionValuesConverged
             : ConvergenceReason::kNone;
}

}  // namespace mlp::optim
