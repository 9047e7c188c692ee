// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../core/names.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// How much work a training without layers may take to find the best network.
enum class Effort { kQuick, kStandard, kBest };

inline constexpr auto kEffortNames = std::to_array<Named<Effort>>({
    {Effort::kQuick, "quick"},
    {Effort::kStandard, "standard"},
    {Effort::kBest, "best"},
});

/// The trainings by which select_model() finds a model.
struct SelectionPlan {
  Index num_folds = 5;     ///< >= 2
  Index num_networks = 5;  ///< that are merged, >= 1

  /// Factors of the penalty of the hyper-parameters, ascending. The choice begins in
  /// the middle and goes on while the unseen rows get better   [at least 1]
  std::vector<double> penalties = {0.1, 0.33, 1.0, 3.0, 10.0};
};

}  // namespace mlp
