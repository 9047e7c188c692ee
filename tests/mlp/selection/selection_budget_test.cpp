// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_budget.hpp"

#include <doctest/doctest.h>

#include <map>

#include "../../../mlp/training/fit/fit_model.hpp"

namespace mlp {

TEST_SUITE("mlp/selection/selection_budget") {
  TEST_CASE("divides what a share of the limit leaves") {
    SelectionBudget budget;
    budget.spend(100.0);
    budget.limit(1000.0);

    // (500 - 100) / 30 and (1000 - 100) / 30
    CHECK(budget.num_evaluations(0.5, 30.0) == 13);
    CHECK(budget.num_evaluations(1.0, 30.0) == 30);
    CHECK(budget.num_evaluations(0.05, 30.0) == 0);
    CHECK(budget.spent() == 100.0);
  }

  TEST_CASE("has no limit before one is set") {
    CHECK(SelectionBudget().num_evaluations(0.5, 1e30) > Index{1} << 40);
  }

  TEST_CASE("limits the evaluations of every solver") {
    const std::map<Solver, Index> expected = {{Solver::kLbfgs, 100},
                                              {Solver::kGradientDescent, 6},
                                              {Solver::kAdam, 7}};
    for (const auto& [solver, max_iter] : expected) {
      Params params;
      params.solver = solver;
      params.max_iter = 100;
      FitOptions options;

      limit_evaluations(params, options, 7);

      CHECK(options.max_evaluations == 7);
      CHECK(params.max_iter == max_iter);
    }
  }

  TEST_CASE("a training makes as many evaluations as it may, and no more") {
    datasets::Dataset data;
    data.features = Matrix{{0.0, 1.0, 2.0, 3.0, 4.0, 5.0}};
    data.labels = Vector{{0, 1, 1, 0, 1, 0}};
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      for (const Index num_evaluations : {1, 2, 9}) {
        Params params;
        params.layers = {1, 3, 2};
        params.solver = solver;
        params.tol = 0.0;
        FitOptions options;
        limit_evaluations(params, options, num_evaluations);

        const auto summary = fit_model(params, data, options).summary;

        CHECK(summary.evaluations == num_evaluations);
        CHECK(summary.convergence_reason == optim::ConvergenceReason::kMaxIter);
      }
    }
  }

  TEST_CASE("counts epochs of mini-batches, and evaluations otherwise") {
    const Model model(Topology({1, 2, 2}), Vector::Zero(10));
    FitResult result{model, {}};
    result.summary.evaluations = 12;
    result.summary.objective_history = {3.0, 2.0, 1.0};  // two iterations

    CHECK(count_multiplications(result, Solver::kLbfgs, 4) ==
          12.0 * 10.0 * 4.0);
    CHECK(count_multiplications(result, Solver::kAdam, 4) == 2.0 * 10.0 * 4.0);
  }
}

}  // namespace mlp
