// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../../core/names.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// How much work a training without layers may take to find the best network.
enum class Effort { kQuick, kStandard };

inline constexpr auto kEffortNames = std::to_array<Named<Effort>>({
    {Effort::kQuick, "quick"},
    {Effort::kStandard, "standard"},
});

/// The trainings by which select_model() finds a model.
struct SelectionPlan {
  Index num_folds = 5;     ///< >= 2
  Index num_networks = 5;  ///< that are merged, >= 1

  /// Factors of the penalty of the hyper-parameters, ascending. The choice begins in
  /// the middle and goes on while the unseen rows get better   [at least 1]
  std::vector<double> penalties = {0.1, 0.33, 1.0, 3.0, 10.0};

  /// The most iterations of a training that only chooses: after these, what is the
  /// better penalty no longer changes.
  Index max_fold_iterations = 60;
};

/// Plans the trainings of a table, by a count that no clock changes: instances times
/// weights, which one evaluation multiplies. Larger tables take fewer folds and
/// networks.
///
/// \param num_weights  of one network
/// \return nothing if a single network is all that the effort standard may train
[[nodiscard]] inline std::optional<SelectionPlan> plan_selection(
    Index num_instances, Index num_weights) {
  constexpr double kAll = 2e8;
  constexpr double kFewer = 2e9;
  const double count =
      static_cast<double>(num_instances) * static_cast<double>(num_weights);
  SelectionPlan plan;
  if (count > kFewer) return std::nullopt;
  if (count > kAll) plan.num_folds = plan.num_networks = 3;
  return plan;
}

}  // namespace mlp
