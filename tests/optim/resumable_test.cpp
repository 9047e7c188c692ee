// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/resumable.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../optim/gradient_descent/gradient_descent.hpp"
#include "../../optim/lbfgs/lbfgs.hpp"
#include "../thrown_message.hpp"
#include "test_objectives.hpp"

namespace mlp::optim {

namespace {

using namespace testing;

using Watch = std::function<void(const Iteration&)>;

/// Ten NaN are one failed search of L-BFGS.
constexpr int kOneSearch = 10;

Vector start() {
  Vector x(2);
  x << -1.2, 1.0;
  return x;
}

/// L-BFGS on Rosenbrock's function, whose search fails once at iteration 6.
struct LbfgsProblem {
  LbfgsOptions options{40, 0.0, 3};

  Summary run(Vector& x, const Watch& watch, ByteReader* state) const {
    Outage outage;
    Observed<Rosenbrock> objective{Rosenbrock{}, std::ref(outage)};
    // A run that resumes after iteration 6 starts in the middle of the outage.
    if (state != nullptr && x[0] == 6.0) outage = {0, kOneSearch};
    const IterationCallback callback = [&](const Iteration& iteration) {
      if (iteration.iteration == 6) outage = {0, kOneSearch};
      watch(iteration);
      return true;
    };
    if (state == nullptr)
      return minimize_lbfgs(objective, x, options, callback);
    return resume_lbfgs(objective, *state, x, options, callback);
  }
};

struct GradientDescentProblem {
  GradientDescentOptions options{25, 1e-9, 1e-3};

  Summary run(Vector& x, const Watch& watch, ByteReader* state) const {
    Rosenbrock objective;
    const IterationCallback callback = [&](const Iteration& iteration) {
      watch(iteration);
      return true;
    };
    if (state == nullptr) {
      return minimize_gradient_descent(objective, x, options, callback);
    }
    return resume_gradient_descent(objective, *state, x, options, callback);
  }
};

std::vector<std::uint64_t> bits_of(const Vector& x) {
  std::vector<std::uint64_t> bits;
  for (const double number : x) {
    bits.push_back(std::bit_cast<std::uint64_t>(number));
  }
  return bits;
}

/// The state after each iteration.
template <typename Problem>
std::vector<std::string> save_all(const Problem& problem) {
  std::vector<std::string> states;
  Vector x = start();
  const Watch watch = [&](const Iteration& iteration) {
    ByteWriter writer;
    iteration.solver->save(writer);
    states.push_back(std::move(writer).bytes());
  };
  problem.run(x, watch, nullptr);
  return states;
}

/// Resumes after every iteration and compares with the run that never stopped.
template <typename Problem>
void check_resuming(const Problem& problem) {
  Vector expected_x = start();
  const Summary expected = problem.run(
      expected_x, [](const Iteration&) {}, nullptr);
  const std::vector<std::string> states = save_all(problem);
  REQUIRE(states.size() == expected.objective_history.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    CAPTURE(i);
    ByteReader state(states[i], "run.state");
    Vector x = Vector::Constant(2, static_cast<double>(i));
    Index next = static_cast<Index>(i);
    const Summary summary = problem.run(
        x, [&](const Iteration& seen) { CHECK(seen.iteration == ++next); },
        &state);

    CHECK(bits_of(x) == bits_of(expected_x));
    CHECK(summary.objective_history == expected.objective_history);
    CHECK(summary.evaluations == expected.evaluations);
    CHECK(summary.convergence_reason == expected.convergence_reason);
    CHECK(state.bytes_left() == 0);
  }
}

/// The sentence with which resuming refuses a state.
template <typename Problem>
std::string refusal(const Problem& problem, const std::string& bytes,
                    Index num_weights = 2) {
  ByteReader state(bytes, "run.state");
  Vector x = Vector::Zero(num_weights);
  return test::thrown_message<ModelError>([&] {
    problem.run(
        x, [](const Iteration&) {}, &state);
  });
}

}  // namespace

TEST_SUITE("optim/resumable") {
  TEST_CASE("ends L-BFGS in the same bits wherever it was resumed") {
    check_resuming(LbfgsProblem{});
  }

  TEST_CASE("ends gradient descent in the same bits wherever it was resumed") {
    check_resuming(GradientDescentProblem{});
  }

  TEST_CASE("covers a failed search of L-BFGS between two states") {
    Vector x = start();

    const Summary summary = LbfgsProblem{}.run(
        x, [](const Iteration&) {}, nullptr);

    CHECK(summary.objective_history[7] == summary.objective_history[6]);
    CHECK(summary.objective_history[8] < summary.objective_history[7]);
  }

  TEST_CASE("goes on after maxIter as if it had been larger at once") {
    LbfgsProblem longer;
    longer.options.max_iter = 45;
    Vector expected = start();
    longer.run(
        expected, [](const Iteration&) {}, nullptr);
    const std::string last = save_all(LbfgsProblem{}).back();
    ByteReader state(last, "run.state");
    Vector x = Vector::Zero(2);

    longer.run(
        x, [](const Iteration&) {}, &state);

    CHECK(bits_of(x) == bits_of(expected));
  }

  TEST_CASE("refuses every state that was cut short") {
    const std::string whole = save_all(LbfgsProblem{})[5];

    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      CHECK(refusal(LbfgsProblem{}, whole.substr(0, size))
                .starts_with("run.state: the state ends early; expected "));
    }
  }

  TEST_CASE("refuses the state of another solver") {
    CHECK(refusal(LbfgsProblem{}, save_all(GradientDescentProblem{})[3]) ==
          "run.state: the solver must be l-bfgs 1 as in this run; got gradient "
          "descent 1 in the state; resume the run that wrote it");
  }

  TEST_CASE("refuses a state of another number of weights") {
    const std::string sentence =
        "run.state: the number of weights must be 3 as in this run; got 2 in "
        "the state; resume the run that wrote it";

    CHECK(refusal(LbfgsProblem{}, save_all(LbfgsProblem{})[3], 3) == sentence);
    CHECK(refusal(GradientDescentProblem{},
                  save_all(GradientDescentProblem{})[3], 3) == sentence);
  }

  TEST_CASE("refuses a state of another history_size") {
    LbfgsProblem longer;
    longer.options.history_size = 4;

    CHECK(refusal(longer, save_all(LbfgsProblem{})[3]) ==
          "run.state: history_size must be 4 as in this run; got 3 in the "
          "state; resume the run that wrote it");
  }
}

}  // namespace mlp::optim
