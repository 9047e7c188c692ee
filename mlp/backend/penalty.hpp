// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../optim/update_range.hpp"

namespace mlp {

/// How the objective and its gradient are changed before an optimiser gets them.
struct Penalty {
  /// The weights that training moves; those that decay are penalised.
  std::vector<optim::UpdateRange> ranges;

  double reg_param = 0.0;   ///< adds reg_param / 2 times the sum of squares
  double clip_value = 0.0;  ///< bounds each element, or 0
  double clip_norm = 0.0;   ///< bounds the length of the gradient, or 0
};

}  // namespace mlp
