// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/summary.hpp"

#include <doctest/doctest.h>

namespace mlp::optim {

TEST_SUITE("optim/summary") {
  TEST_CASE("counts the entries after the first as iterations") {
    Summary summary;
    summary.objective_history = {0.7, 0.6, 0.6, 0.5};

    CHECK(summary.total_iterations() == 3);
  }

  TEST_CASE("counts no iteration where only the start was evaluated") {
    Summary summary;
    summary.objective_history = {0.7};

    CHECK(summary.total_iterations() == 0);
  }

  TEST_CASE("counts no iteration for an empty history") {
    const Summary summary;

    CHECK(summary.total_iterations() == 0);
    CHECK(summary.evaluations == 0);
    CHECK(summary.convergence_reason == ConvergenceReason::kNone);
  }
}

}  // namespace mlp::optim
