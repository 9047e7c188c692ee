// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/lbfgs_on_device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../optim/lbfgs/lbfgs.hpp"
#include "../../optim/test_objectives.hpp"
#include "../largest_difference.hpp"
#include "host_objective.hpp"

namespace mlp::cuda {

namespace {

using optim::ConvergenceReason;
using optim::LbfgsOptions;
using optim::Summary;
using namespace optim::testing;
using mlp::testing::problem_of;

/// What the paths may differ by, relative to the value at the start: rounding,
/// which the steps amplify by the condition of the problem.
constexpr double kPathTolerance = 1e-9;

constexpr int kOneSearch = 10;  // ten NaN are one failed search

Vector rosenbrock_start() {
  Vector x(2);
  x << -1.2, 1.0;
  return x;
}

/// What a run ended with.
struct Run {
  Summary summary;
  Vector x;
};

template <typename F>
Run on_host(F function, const Vector& start, const LbfgsOptions& options,
            const optim::IterationCallback& callback = {}) {
  Run run{{}, start};
  run.summary = minimize_lbfgs(function, run.x, options, callback);
  return run;
}

template <typename F>
Run on_the_device(F function, const Vector& start, const LbfgsOptions& options,
                  const optim::IterationCallback& callback = {}) {
  const Stream stream;
  LbfgsOnDevice vectors(problem_of(function, start.size(), stream),
                        options.history_size);
  Run run{{}, start};
  run.summary = optim::Lbfgs(vectors, options, callback).minimize(run.x);
  return run;
}

void check_same_path(const Run& device, const Run& host) {
  const std::vector<double>& found = device.summary.objective_history;
  const std::vector<double>& expected = host.summary.objective_history;
  REQUIRE(found.size() == expected.size());
  CHECK(mlp::testing::largest_difference(found, expected) <=
        kPathTolerance * std::abs(expected.front()));
  CHECK(device.summary.evaluations == host.summary.evaluations);
  CHECK(device.summary.convergence_reason == host.summary.convergence_reason);
  CHECK((device.x - host.x).norm() <= 1e-6 * (1.0 + host.x.norm()));
}

/// Curvatures from 1 to a million.
Quadratic ill_conditioned(Index size) {
  const Vector exponents = Vector::LinSpaced(size, 0.0, 6.0);
  return {exponents.unaryExpr([](double e) { return std::pow(10.0, e); }), 1.0};
}

TEST_SUITE("cuda/solvers/lbfgs_on_device") {
  TEST_CASE("follows the path of the host on Rosenbrock's function") {
    for (const Index history_size : {0, 1, 3, 10}) {
      CAPTURE(history_size);
      const LbfgsOptions options{40, 1e-10, history_size};

      check_same_path(on_the_device(Rosenbrock{}, rosenbrock_start(), options),
                      on_host(Rosenbrock{}, rosenbrock_start(), options));
    }
  }

  TEST_CASE("follows the path of the host on an ill-conditioned quadratic") {
    for (const Index size : {10, 300}) {
      CAPTURE(size);
      const Vector start = Vector::Ones(size);
      const LbfgsOptions options{50, 1e-8, 10};

      check_same_path(on_the_device(ill_conditioned(size), start, options),
                      on_host(ill_conditioned(size), start, options));
    }
  }

  TEST_CASE("follows the path of the host on a logistic regression") {
    const mlp::testing::Logistic logistic(50, 200);
    const Vector start = Vector::Zero(50);
    const LbfgsOptions options{200, 1e-7, 10};

    const Run device = on_the_device(logistic, start, options);

    check_same_path(device, on_host(logistic, start, options));
    CHECK(device.summary.total_iterations() > 20);
  }

  TEST_CASE("evaluates the points of the host and no others") {
    Observed<Rosenbrock> on_host_points{Rosenbrock{}};
    Observed<Rosenbrock> points{Rosenbrock{}};
    const LbfgsOptions options{15, 0.0, 5};

    const Run device = on_the_device<Observed<Rosenbrock>&>(
        points, rosenbrock_start(), options);
    const Run host = on_host<Observed<Rosenbrock>&>(
        on_host_points, rosenbrock_start(), options);

    CHECK(device.summary.evaluations == host.summary.evaluations);
    REQUIRE(points.points.size() == on_host_points.points.size());
    for (std::size_t i = 0; i < points.points.size(); ++i) {
      CHECK((points.points[i] - on_host_points.points[i]).norm() < 1e-9);
    }
  }

  TEST_CASE("stops at the start where max_iter is 0") {
    const LbfgsOptions options{0, 0.0, 10};

    const Run run = on_the_device(Rosenbrock{}, rosenbrock_start(), options);

    CHECK(run.summary.convergence_reason == ConvergenceReason::kMaxIter);
    CHECK(run.summary.evaluations == 1);
    CHECK(run.x == rosenbrock_start());
  }

  // At (1, 1, 1): 3 / 2 + 0.5 / 2 * 2.
  TEST_CASE("adds the penalty and keeps frozen weights") {
    const Stream stream;
    Quadratic function{Vector::Ones(3), 0.0};
    FullProblem problem = problem_of(function, 3, stream);
    problem.resident.penalty.ranges = {{0, 2, true}};
    problem.resident.penalty.reg_param = 0.5;
    LbfgsOnDevice vectors(std::move(problem), 5);
    Vector x = Vector::Ones(3);

    const Summary summary =
        optim::Lbfgs(vectors, LbfgsOptions{10, 0.0, 5}, {}).minimize(x);

    CHECK(summary.objective_history.front() == doctest::Approx(2.0));
    CHECK(std::abs(x[0]) < 1e-7);
    CHECK(x[2] == 1.0);
  }

  TEST_CASE("shows the callback the x of each iteration") {
    Seen seen;
    const LbfgsOptions options{10, 0.0, 5};

    const Run run =
        on_the_device(Rosenbrock{}, rosenbrock_start(), options, seen.watch());

    Seen expected;
    on_host(Rosenbrock{}, rosenbrock_start(), options, expected.watch());
    REQUIRE(seen.points.size() == expected.points.size());
    CHECK(seen.points.front() == rosenbrock_start());
    CHECK(seen.points.back() == run.x);
    for (std::size_t i = 0; i < seen.points.size(); ++i) {
      CHECK((seen.points[i] - expected.points[i]).norm() < 1e-9);
    }
  }

  TEST_CASE("handles failed searches as the host") {
    for (const Outage& outage :
         {Outage{5, kOneSearch}, Outage{5, 2 * kOneSearch + 1}, Outage{1, 3},
          Outage{1, kOneSearch}, Outage{0, 1000}}) {
      CAPTURE(outage.left);
      const Quadratic quadratic = ill_conditioned(12);
      const LbfgsOptions options{30, 0.0, 4};
      Observed<Quadratic> device_function{quadratic, Outage(outage)};
      Observed<Quadratic> host_function{quadratic, Outage(outage)};

      const Run device = on_the_device<Observed<Quadratic>&>(
          device_function, Vector::Ones(12), options);
      const Run host = on_host<Observed<Quadratic>&>(host_function,
                                                     Vector::Ones(12), options);

      CHECK(device.summary.objective_history.size() ==
            host.summary.objective_history.size());
      CHECK(device.summary.evaluations == host.summary.evaluations);
      CHECK(device.summary.convergence_reason ==
            host.summary.convergence_reason);
      CHECK(device_function.points.size() == host_function.points.size());
    }
  }
}

/// The states of a run, after each iteration.
struct States {
  std::vector<std::string> bytes;

  optim::IterationCallback watch() {
    return [this](const optim::Iteration& iteration) {
      ByteWriter writer;
      iteration.solver->save(writer);
      bytes.push_back(std::move(writer).bytes());
      return true;
    };
  }
};

template <typename F>
Run resume_on_device(F function, const std::string& bytes, Index num_weights,
                     const LbfgsOptions& options) {
  const Stream stream;
  LbfgsOnDevice vectors(problem_of(function, num_weights, stream),
                        options.history_size);
  ByteReader state(bytes, "run.state");
  Run run{{}, Vector::Zero(num_weights)};
  run.summary = optim::Lbfgs(vectors, options, {}).resume(state, run.x);
  return run;
}

/// A run that an evaluation interrupts, and the state that it saves then.
struct Interruption {
  Run run;
  Seen seen;
  std::string state;
};

/// \param evaluation  the interrupted one, counted from 1
Interruption interrupt(int evaluation, const LbfgsOptions& options) {
  Interruption result;
  Observed<Rosenbrock> function{Rosenbrock{}, [&](double&, Vector&) {
                                  if (--evaluation == 0)
                                    throw optim::Interrupted();
                                }};
  const Stream stream;
  LbfgsOnDevice vectors(problem_of(function, 2, stream), options.history_size);
  const optim::Resumable* solver = nullptr;
  const auto watch = [&](const optim::Iteration& iteration) {
    solver = iteration.solver;
    return result.seen.watch()(iteration);
  };
  const auto save = [&] {
    ByteWriter writer;
    solver->save(writer);
    result.state = std::move(writer).bytes();
  };
  result.run.x = rosenbrock_start();
  result.run.summary =
      optim::Lbfgs(vectors, options, watch, save).minimize(result.run.x);
  return result;
}

TEST_SUITE("cuda/solvers/lbfgs_on_device states") {
  TEST_CASE("ends in the same bits wherever it was resumed") {
    const mlp::testing::Logistic logistic(30, 60);
    const LbfgsOptions options{25, 0.0, 4};
    States states;
    const Vector start = Vector::Zero(30);
    const Run whole = on_the_device(logistic, start, options, states.watch());
    REQUIRE(states.bytes.size() == 26);
    for (std::size_t i = 0; i < states.bytes.size(); ++i) {
      CAPTURE(i);

      const Run resumed =
          resume_on_device(logistic, states.bytes[i], 30, options);

      CHECK(resumed.x == whole.x);
      CHECK(resumed.summary.objective_history ==
            whole.summary.objective_history);
      CHECK(resumed.summary.evaluations == whole.summary.evaluations);
    }
  }

  TEST_CASE("continues the states of the host, and the host its states") {
    const mlp::testing::Logistic logistic(30, 60);
    const LbfgsOptions options{25, 0.0, 4};
    const Vector start = Vector::Zero(30);
    States host_states;
    States device_states;
    const Run host = on_host(logistic, start, options, host_states.watch());
    on_the_device(logistic, start, options, device_states.watch());
    for (const std::size_t i : {0U, 1U, 3U, 12U, 25U}) {
      CAPTURE(i);
      check_same_path(
          resume_on_device(logistic, host_states.bytes[i], 30, options), host);
      ByteReader state(device_states.bytes[i], "run.state");
      mlp::testing::Logistic function = logistic;
      Run resumed{{}, start};
      resumed.summary = resume_lbfgs(function, state, resumed.x, options);
      check_same_path(resumed, host);
      CHECK(device_states.bytes[i].size() == host_states.bytes[i].size());
    }
  }

  TEST_CASE("saves the last accepted point after an interruption") {
    const LbfgsOptions options{40, 0.0, 3};
    const Run whole = on_the_device(Rosenbrock{}, rosenbrock_start(), options);
    for (int evaluation = 2; evaluation < 14; ++evaluation) {
      CAPTURE(evaluation);

      const Interruption interruption = interrupt(evaluation, options);

      CHECK(interruption.run.summary.convergence_reason ==
            ConvergenceReason::kStoppedByCallback);
      CHECK(interruption.run.x == interruption.seen.points.back());
      const Run resumed =
          resume_on_device(Rosenbrock{}, interruption.state, 2, options);
      CHECK(resumed.x == whole.x);
    }
  }

  TEST_CASE("throws before an evaluation if it is to stop") {
    bool is_stopping = false;
    Rosenbrock function;
    const Stream stream;
    FullProblem problem = problem_of(function, 2, stream);
    problem.resident.is_stopping = [&] { return is_stopping; };
    LbfgsOnDevice vectors(std::move(problem), 3);
    const auto watch = [&](const optim::Iteration& iteration) {
      is_stopping = iteration.iteration == 4;
      return true;
    };
    Vector x = rosenbrock_start();

    const Summary summary =
        optim::Lbfgs(vectors, LbfgsOptions{40, 0.0, 3}, watch).minimize(x);

    CHECK(summary.convergence_reason == ConvergenceReason::kStoppedByCallback);
    CHECK(summary.total_iterations() == 4);
  }

  TEST_CASE("refuses the state of another history_size") {
    States states;
    on_the_device(Rosenbrock{}, rosenbrock_start(), {5, 0.0, 3},
                  states.watch());

    CHECK_THROWS_AS(
        resume_on_device(Rosenbrock{}, states.bytes.back(), 2, {5, 0.0, 4}),
        ModelError);
  }
}

}  // namespace

}  // namespace mlp::cuda
