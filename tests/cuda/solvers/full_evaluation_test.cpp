// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/full_evaluation.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "../../../optim/objective.hpp"
#include "../../optim/test_objectives.hpp"
#include "../device_numbers.hpp"
#include "host_objective.hpp"
#include "pair_of_ranks.hpp"

namespace mlp::cuda {

namespace {

using Numbers = std::vector<double>;
using optim::testing::Quadratic;
using namespace testing;

/// f = 1 + (2 x^2 + 4 y^2) / 2 at (3, 5): 60, and its gradient (6, 20).
const Quadratic kQuadratic{Eigen::Vector2d(2.0, 4.0), 1.0};

/// Value, requests to stop, and the gradient.
Numbers evaluate(FullEvaluation& evaluation) {
  const Stream& stream = evaluation.stream();
  const DeviceArray<double> weights = uploaded(Numbers{3, 5}, stream);
  const DeviceArray<double> stop = uploaded(Numbers{evaluation.poll()}, stream);
  DeviceArray<double> gradient(FullEvaluation::kTail + 2);
  gradient.clear(stream);
  DeviceArray<double> sums(FullEvaluation::kTail);
  evaluation.add(stop.data(), weights.data(),
                 gradient.data() + FullEvaluation::kTail, sums.data());
  evaluation.wait();
  Numbers result = sums.download(stream);
  const Numbers elements = gradient.download(stream);
  result.insert(result.end(), elements.end() - 2, elements.end());
  return result;
}

TEST_SUITE("cuda/solvers/full_evaluation") {
  TEST_CASE("evaluates the objective of one rank") {
    const Stream stream;
    Quadratic function = kQuadratic;
    FullEvaluation evaluation(problem_of(function, 2, stream));

    CHECK(evaluate(evaluation) == Numbers{60, 0, 6, 20});
  }

  TEST_CASE("adds the penalty after the sum over the ranks") {
    const Stream stream;
    Quadratic function = kQuadratic;
    PairOfRanks ranks;
    FullProblem problem = problem_of(function, 2, stream);
    problem.resident.penalty.ranges = {{0, 1, false}, {1, 1, true}};
    problem.resident.penalty.reg_param = 2.0;
    problem.resident.allreduce = &ranks;
    FullEvaluation evaluation(std::move(problem));

    CHECK(evaluate(evaluation) == Numbers{120 + 25, 0, 12, 40 + 10});
    CHECK(ranks.num_waits == 1);
  }

  TEST_CASE("throws at once if the only rank is to stop") {
    const Stream stream;
    Quadratic function = kQuadratic;
    bool is_stopping = false;
    FullProblem problem = problem_of(function, 2, stream);
    problem.resident.is_stopping = [&] { return is_stopping; };
    FullEvaluation evaluation(std::move(problem));

    CHECK(evaluation.poll() == 0.0);
    is_stopping = true;
    CHECK_THROWS_AS(evaluation.poll(), optim::Interrupted);
  }

  TEST_CASE("asks all ranks to stop in the sum") {
    const Stream stream;
    Quadratic function = kQuadratic;
    PairOfRanks ranks;
    FullProblem problem = problem_of(function, 2, stream);
    problem.resident.allreduce = &ranks;
    problem.resident.is_stopping = [] { return true; };
    FullEvaluation evaluation(std::move(problem));

    const Numbers found = evaluate(evaluation);

    CHECK(found[1] == 2.0);
    CHECK_THROWS_AS(FullEvaluation::check(found[1]), optim::Interrupted);
    CHECK_NOTHROW(FullEvaluation::check(0.0));
  }
}

}  // namespace

}  // namespace mlp::cuda
