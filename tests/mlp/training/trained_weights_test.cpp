// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/trained_weights.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/training/trained_weights") {
  TEST_CASE("begins with nothing learned and no reason to stop") {
    const TrainedWeights trained;

    CHECK(trained.weights.size() == 0);
    CHECK(trained.statistics.size() == 0);
    CHECK(trained.summary.convergence_reason ==
          optim::ConvergenceReason::kNone);
  }
}

}  // namespace mlp
