// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/gradient_descent_on_device.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../../optim/gradient_descent/gradient_descent.hpp"
#include "../../optim/test_objectives.hpp"
#include "host_objective.hpp"

namespace mlp::cuda {

namespace {

using optim::ConvergenceReason;
using optim::GradientDescentOptions;
using optim::Summary;
using optim::testing::Quadratic;

// Each step rounds a few times.
constexpr double kRounding = 1e-13;

Quadratic quadratic() { return {Vector::LinSpaced(5, 0.5, 2.0), 1.0}; }

struct Run {
  Summary summary;
  Vector x = Vector::Ones(5);
  std::vector<std::string> states;  // after each iteration

  optim::IterationCallback watch() {
    return [this](const optim::Iteration& iteration) {
      ByteWriter writer;
      iteration.solver->save(writer);
      states.push_back(std::move(writer).bytes());
      return true;
    };
  }
};

Run on_host(const GradientDescentOptions& options) {
  Quadratic function = quadratic();
  Run run;
  run.summary =
      minimize_gradient_descent(function, run.x, options, run.watch());
  return run;
}

/// \param state  to resume from; empty to start
Run on_the_device(const GradientDescentOptions& options,
                  const std::string& state = "") {
  Quadratic function = quadratic();
  const Stream stream;
  GradientDescentOnDevice vectors(
      mlp::testing::problem_of(function, 5, stream));
  Run run;
  optim::GradientDescent solver(vectors, options, run.watch());
  if (state.empty()) {
    run.summary = solver.minimize(run.x);
  } else {
    ByteReader reader(state, "run.state");
    run.summary = solver.resume(reader, run.x);
  }
  return run;
}

void check_same_path(const Run& device, const Run& host) {
  const auto& found = device.summary.objective_history;
  const auto& expected = host.summary.objective_history;
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::abs(found[i] - expected[i]) <= kRounding * expected[0]);
  }
  CHECK(device.summary.evaluations == host.summary.evaluations);
  CHECK(device.summary.convergence_reason == host.summary.convergence_reason);
  CHECK((device.x - host.x).norm() <= kRounding);
}

TEST_SUITE("cuda/solvers/gradient_descent_on_device") {
  TEST_CASE("follows the path of the host to max_iter") {
    const GradientDescentOptions options{20, 0.0, 0.3};

    const Run run = on_the_device(options);

    check_same_path(run, on_host(options));
    CHECK(run.summary.convergence_reason == ConvergenceReason::kMaxIter);
  }

  TEST_CASE("stops where the weights converge as the host") {
    const GradientDescentOptions options{1000, 1e-4, 0.3};

    const Run run = on_the_device(options);

    check_same_path(run, on_host(options));
    CHECK(run.summary.convergence_reason ==
          ConvergenceReason::kWeightsConverged);
  }

  // At (1, 1, 1): a step of 0.1 along -(1.5, 1.5, 0).
  TEST_CASE("adds the penalty and keeps frozen weights") {
    const Stream stream;
    Quadratic function{Vector::Ones(3), 0.0};
    FullProblem problem = mlp::testing::problem_of(function, 3, stream);
    problem.resident.penalty.ranges = {{0, 2, true}};
    problem.resident.penalty.reg_param = 0.5;
    GradientDescentOnDevice vectors(std::move(problem));
    Vector x = Vector::Ones(3);

    optim::GradientDescent(vectors, GradientDescentOptions{1, 0.0, 0.1}, {})
        .minimize(x);

    CHECK(x[0] == doctest::Approx(0.85));
    CHECK(x[2] == 1.0);
  }

  TEST_CASE("evaluates the start where max_iter is 0") {
    const Run run = on_the_device({0, 0.0, 0.3});

    CHECK(run.summary.evaluations == 1);
    CHECK(run.x == Vector::Ones(5));
  }

  TEST_CASE("ends in the same bits wherever it was resumed") {
    const GradientDescentOptions options{12, 0.0, 0.3};
    const Run whole = on_the_device(options);
    const Run host = on_host(options);
    REQUIRE(whole.states.size() == 13);
    for (std::size_t i = 0; i < whole.states.size(); ++i) {
      CAPTURE(i);

      const Run resumed = on_the_device(options, whole.states[i]);

      CHECK(resumed.x == whole.x);
      CHECK(resumed.summary.objective_history ==
            whole.summary.objective_history);
      check_same_path(on_the_device(options, host.states[i]), host);
      CHECK(whole.states[i].size() == host.states[i].size());
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
