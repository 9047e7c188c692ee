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

  TEST_CASE("finds the iteration whose weights are returned") {
    Summary summary;
    summary.objective_history = {0.7, 0.6, 0.5, 0.4};
    CHECK(summary.best_iteration() == 3);

    summary.validation_history = {0.9, 0.8, 0.8, std::nan("")};
    CHECK(summary.best_iteration() == 1);

    summary.validation_history = {std::nan(""), std::nan("")};
    CHECK(summary.best_iteration() == 3);
  }

  TEST_CASE("refuses to come back from a run without an evaluation") {
    ByteWriter writer;
    Summary{{}, {}, 3}.save(writer);
    Summary{{1.0}, {}, 0}.save(writer);
    ByteReader reader(writer.bytes(), "run.state");
    Summary summary;

    CHECK_THROWS_WITH_AS(summary.restore(reader),
                         "run.state: objective_history must have at least 1 "
                         "entry; got 0",
                         ModelError);
    CHECK_THROWS_WITH_AS(summary.restore(reader),
                         "run.state: the number of evaluations must be 1 to "
                         "9007199254740992 as in this run; got 0 in the state; "
                         "resume the run that wrote it",
                         ModelError);
  }
}

}  // namespace mlp::optim
