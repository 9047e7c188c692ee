// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include "../../../../mlp/training/train.hpp"

namespace mlp::testing {

/// Checks that a resumed training ended like one that was not stopped.
inline void check_resumed(const TrainedWeights& resumed,
                          const TrainedWeights& whole) {
  CHECK(resumed.weights == whole.weights);
  CHECK(resumed.summary.objective_history == whole.summary.objective_history);
  CHECK(resumed.summary.evaluations == whole.summary.evaluations);
  CHECK(resumed.summary.convergence_reason == whole.summary.convergence_reason);
}

}  // namespace mlp::testing
