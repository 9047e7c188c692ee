// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../core/types.hpp"
#include "convergence_reason.hpp"

namespace mlp::optim {

/// What a run did.
struct Summary {
  /// The objective at the start, then after each iteration   [iterations + 1].
  /// A failed line search repeats an entry, as Spark does.
  std::vector<double> objective_history;

  /// Calls of value_and_gradient().
  Index evaluations = 0;

  ConvergenceReason convergence_reason = ConvergenceReason::kNone;

  /// Iterations as Spark counts them: it can exceed maxIter, because repeated
  /// entries count too. 0 for an empty history.
  [[nodiscard]] Index total_iterations() const {
    const auto entries = static_cast<Index>(objective_history.size());
    return entries == 0 ? 0 : entries - 1;
  }
};

}  // namespace mlp::optim
