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

/// The result of a solver run, without the weights.
struct Summary {
  /// The objective at the start and after each iteration   [iterations + 1].
  /// A failed line search repeats an entry, as in Spark.
  std::vector<double> objective_history;

  /// Number of calls of value_and_gradient().
  Index evaluations = 0;

  ConvergenceReason convergence_reason = ConvergenceReason::kNone;

  /// Returns the number of iterations as Spark counts them, 0 for an empty
  /// history. It can exceed maxIter because repeated entries count too.
  [[nodiscard]] Index total_iterations() const {
    const auto entries = static_cast<Index>(objective_history.size());
    return entries == 0 ? 0 : entries - 1;
  }

  /// Writes all fields except the reason, because a resumed run continues.
  void save(ByteWriter& state) const {
    state.write_vector(objective_history);
    state.write(std::int64_t{evaluations});
  }

  /// Restores the fields that save() wrote.
  ///
  /// \throws ModelError if the history is empty or evaluations is less than 1
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
