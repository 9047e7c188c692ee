// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../convergence_reason.hpp"

namespace mlp::optim {

/// Tests if SciPy's L-BFGS-B has converged: if no element of the gradient is larger
/// than a tolerance, or if 10 iterations lower the objective by at most 1e7 roundings
/// of max(|f|, |f before|, 1). SciPy tests one iteration only, whose step may be
/// short beside a kink, for example of relu, although the next steps are long.
///
/// \param largest  the largest absolute value of an element of the gradient
/// \param values   of the objective after each iteration
/// \source SciPy optimize/_lbfgsb_py.py, whose default of ftol it uses
[[nodiscard]] inline ConvergenceReason test_as_scipy(
    double largest, double tolerance, const std::vector<double>& values) {
  constexpr double kFtol = 1e7 * std::numeric_limits<double>::epsilon();
  constexpr std::size_t kIterations = 10;
  if (largest <= tolerance) return ConvergenceReason::kGradientConverged;
  if (values.size() <= kIterations) return ConvergenceReason::kNone;
  const double now = values.back();
  const double before = values[values.size() - 1 - kIterations];
  const double size = std::max({std::abs(before), std::abs(now), 1.0});
  return before - now <= kFtol * size
             ? ConvergenceReason::kFunctionValuesConverged
             : ConvergenceReason::kNone;
}

}  // namespace mlp::optim
