// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  /// \throws ModelError if the history is empty or evaluations is no count >= 1
  void restore(ByteReader& state) {
    objective_history = state.read_vector<std::vector<double>>();
    evaluations = state.read_count("the number of evaluations", 1);
    convergence_reason = ConvergenceReason::kNone;
    if (!objective_history.empty()) return;
    state.refuse("objective_history must have at least 1 entry; got 0");
  }
};

}  // namespace mlp::optim
