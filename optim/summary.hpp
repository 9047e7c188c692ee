// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

  /// The loss of a validation set after each entry of objective_history. Empty
  /// without a validation set; one entry is missing if the run was stopped
  /// during a validation.
  std::vector<double> validation_history;

  /// Number of calls of value_and_gradient().
  Index evaluations = 0;

  ConvergenceReason convergence_reason = ConvergenceReason::kNone;

  /// Returns the number of iterations as Spark counts them, 0 for an empty
  /// history. It can exceed maxIter because repeated entries count too.
  [[nodiscard]] Index total_iterations() const {
    const auto entries = static_cast<Index>(objective_history.size());
    return entries == 0 ? 0 : entries - 1;
  }

  /// Returns the position in objective_history of the weights that a training
  /// returns: the first with the lowest validation loss, or the last entry
  /// without a validation set. NaN is never the lowest.
  [[nodiscard]] Index best_iteration() const {
    double best_loss = std::numeric_limits<double>::infinity();
    Index best = total_iterations();
    for (std::size_t i = 0; i < validation_history.size(); ++i) {
      if (!(validation_history[i] < best_loss)) continue;
      best_loss = validation_history[i];
      best = static_cast<Index>(i);
    }
    return best;
  }

  /// Writes the objective and its evaluations, for a run that resumes. It does not
  /// write the validation losses: the code that validates saves them.
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
