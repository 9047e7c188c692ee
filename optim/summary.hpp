// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/byte_stream.hpp"
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

  /// Writes all but the reason: a run that resumes is still running.
  void save(ByteWriter& state) const {
    state.write_vector(objective_history);
    state.write(std::int64_t{evaluations});
  }

  /// Takes what save() wrote.
  ///
  /// \throws ModelError where evaluations are fewer than 1 or none is recorded
  void restore(ByteReader& state) {
    objective_history = state.read_vector<std::vector<double>>();
    evaluations = static_cast<Index>(state.read<std::int64_t>());
    convergence_reason = ConvergenceReason::kNone;
    if (!objective_history.empty() && evaluations > 0) return;
    state.refuse("objective_history and evaluations must be at least 1; got " +
                 std::to_string(objective_history.size()) + " and " +
                 std::to_string(evaluations));
  }
};

}  // namespace mlp::optim
