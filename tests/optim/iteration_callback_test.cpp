// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/iteration_callback.hpp"

#include <doctest/doctest.h>

#include "../../optim/gradient_descent/gradient_descent.hpp"
#include "../../optim/lbfgs/lbfgs.hpp"
#include "test_objectives.hpp"

namespace mlp::optim {

TEST_SUITE("optim/iteration_callback") {
  TEST_CASE("hands the point over without a copy") {
    const Vector x = Vector::Constant(2, 3.0);

    const Iteration seen{4, 0.5, 1.0, 6, x};

    CHECK(&seen.x.vector() == &x);
    CHECK(seen.iteration == 4);
    CHECK(seen.objective == 0.5);
    CHECK(seen.step_length == 1.0);
    CHECK(seen.evaluations == 6);
  }

  TEST_CASE("goes on with both solvers where it is empty") {
    testing::Quadratic quadratic{Vector::Constant(2, 2.0)};
    Vector by_lbfgs = Vector::Constant(2, 3.0);
    Vector by_gradient_descent = by_lbfgs;

    const Summary lbfgs = minimize_lbfgs(quadratic, by_lbfgs, {}, {});
    const Summary gradient_descent =
        minimize_gradient_descent(quadratic, by_gradient_descent, {}, {});

    CHECK(lbfgs.convergence_reason == ConvergenceReason::kGradientConverged);
    CHECK(gradient_descent.total_iterations() == 100);
  }

  TEST_CASE("stops both solvers at the start where it says so at once") {
    testing::Quadratic quadratic{Vector::Constant(2, 2.0)};
    const IterationCallback stop = [](const Iteration&) { return false; };
    const Vector start = Vector::Constant(2, 3.0);
    Vector by_lbfgs = start;
    Vector by_gradient_descent = start;

    const Summary lbfgs = minimize_lbfgs(quadratic, by_lbfgs, {}, stop);
    const Summary gradient_descent =
        minimize_gradient_descent(quadratic, by_gradient_descent, {}, stop);

    CHECK(lbfgs.convergence_reason == ConvergenceReason::kStoppedByCallback);
    CHECK(gradient_descent.convergence_reason ==
          ConvergenceReason::kStoppedByCallback);
    CHECK(by_lbfgs == start);
    CHECK(by_gradient_descent == start);
  }
}

}  // namespace mlp::optim
