// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/full_batch_trainer.hpp"

#include <doctest/doctest.h>

#include "support/failing_allreduce.hpp"
#include "support/rings.hpp"
#include "support/stopping_backend.hpp"

namespace mlp {

namespace {

Params params_of(Solver solver) {
  Params params;
  params.layers = {2, 5, 3};
  params.solver = solver;
  params.seed = 11;
  params.max_iter = 15;
  params.step_size = 0.5;
  return params;
}

}  // namespace

TEST_SUITE("mlp/training/full_batch_trainer") {
  // An evaluation may be lost in the middle of a line search too.
  TEST_CASE("rescues the last whole iteration and resumes to the same bits") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      CAPTURE(static_cast<int>(solver));
      const int num_rescued = testing::lose_at_each_sum(params_of(solver));

      CHECK(num_rescued >= 14);
    }
  }

  TEST_CASE("rescues a penalised training too") {
    Params params = params_of(Solver::kLbfgs);
    params.reg_param = 1e-3;
    const int num_rescued = testing::lose_at_each_sum(params);

    CHECK(num_rescued >= 14);
  }

  TEST_CASE("resumes to the same bits where it stopped within a validation") {
    const datasets::Dataset data = testing::make_rings(60);
    const datasets::Dataset validation = testing::make_rings(1030);
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      CAPTURE(static_cast<int>(solver));
      Params params = params_of(solver);
      params.patience = 3;
      const int num_resumed =
          testing::stop_at_each_output(params, data, validation);

      CHECK(num_resumed >= 8);  // two parts in each validation
    }
  }
}

}  // namespace mlp
