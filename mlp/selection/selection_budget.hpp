// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "../../core/types.hpp"
#include "../params/params.hpp"
#include "../result/fit_result.hpp"
#include "../training/fit_options.hpp"

namespace mlp {

/// Computes the multiplications of a training: one of each weight and instance in each
/// evaluation, or in each epoch of mini-batches.
[[nodiscard]] inline double count_multiplications(const FitResult& result,
                                                  Solver solver,
                                                  Index num_instances) {
  const Index num_passes = has_mini_batches(solver)
                               ? result.summary.total_iterations()
                               : result.summary.evaluations;
  return static_cast<double>(num_passes) *
         static_cast<double>(result.model.topology().num_weights()) *
         static_cast<double>(num_instances);
}

/// Lets a training make at most so many evaluations, whatever its solver is.
///
/// \param num_evaluations  >= 1
inline void limit_evaluations(Params& params, FitOptions& options,
                              Index num_evaluations) {
  options.max_evaluations = num_evaluations;
  if (params.solver == Solver::kLbfgs) return;
  // Gradient descent makes one evaluation more than iterations.
  const Index others = has_mini_batches(params.solver) ? 0 : 1;
  params.max_iter = std::min(params.max_iter, num_evaluations - others);
}

/// The multiplications that the trainings of a selection have taken, and may take.
class SelectionBudget {
 public:
  /// Limits the sum of all trainings, past ones included. Without a call there is no
  /// limit.
  void limit(double num_multiplications) { limit_ = num_multiplications; }

  void spend(double num_multiplications) { spent_ += num_multiplications; }

  [[nodiscard]] double spent() const { return spent_; }

  /// Returns how many evaluations may be made until a share of the limit is spent.
  ///
  /// \param share  from 0 to 1
  /// \param cost   the multiplications of one evaluation, > 0
  /// \return >= 0
  [[nodiscard]] Index num_evaluations(double share, double cost) const {
    constexpr Index kMost = std::numeric_limits<Index>::max() / 2;
    const double count = (share * limit_ - spent_) / cost;
    if (!(count < static_cast<double>(kMost))) return kMost;
    return static_cast<Index>(std::max(count, 0.0));
  }

 private:
  double limit_ = std::numeric_limits<double>::infinity();
  double spent_ = 0.0;
};

}  // namespace mlp
