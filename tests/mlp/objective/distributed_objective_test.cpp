// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/distributed_objective.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../../distributed/identity.hpp"
#include "../../../distributed/thread_group.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../distributed/ranks.hpp"
#include "../evaluation.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

constexpr Index kNumInstances = 3000;
constexpr double kDeadlineSeconds = 120.0;

/// What other orders of 3,000 additions may change, of the largest number.
constexpr double kRounding = 1e-12;

/// Instances that weigh 1 together, and weights.
struct Problem {
  Problem()
      : topology({4, 5, 3}),
        data(testing::draw_instances(topology, kNumInstances)),
        shares(Vector::Constant(kNumInstances, 1.0 / kNumInstances)),
        weights(draw_initial_weights(topology, 3)) {}

  [[nodiscard]] InstanceRange range() const {
    InstanceRange range = data.range();
    range.weights = shares.data();
    return range;
  }

  /// The objective of one rank, and its weight.
  [[nodiscard]] DistributedObjective make(distributed::Allreduce& allreduce,
                                          const Slices& slices,
                                          Summation summation) const {
    DistributedObjective::Parts parts;
    const Index size = slices.begin(slices.size());
    const InstanceRange own =
        range().slice(slices.first_instance(), size, 4, 3);
    if (size > 0) {
      parts.push_back(std::make_unique<TrainingObjective>(
          topology, own, Execution{&reference_backend(), 2},
          summation == Summation::kExact ? std::optional(slices)
                                         : std::nullopt));
    }
    const double weight = static_cast<double>(size) / kNumInstances;
    Distribution distribution;
    distribution.allreduce = &allreduce;
    distribution.is_reproducible = summation == Summation::kExact;
    return {distribution, std::move(parts), topology.num_weights(), weight,
            stop};
  }

  Topology topology;
  testing::RandomInstances data;
  Vector shares;
  Vector weights;
  mutable optim::StopRequest stop;
};

using testing::Evaluation;

/// What each rank gets.
std::vector<Evaluation> evaluate(const Problem& problem, int world_size,
                                 Summation summation) {
  std::vector<Evaluation> results(static_cast<std::size_t>(world_size));
  distributed::ThreadGroup group(world_size, kDeadlineSeconds);
  const Slices whole(kNumInstances, 7);
  const auto errors =
      distributed::testing::run_ranks(world_size, [&](int rank) {
        DistributedObjective objective = problem.make(
            group.rank(rank), whole.of_rank(rank, world_size), summation);
        Evaluation& result = results[static_cast<std::size_t>(rank)];
        result.gradient.resize(problem.topology.num_weights());
        result.value =
            objective.value_and_gradient(problem.weights, result.gradient);
      });
  CHECK(errors ==
        std::vector<std::string>(static_cast<std::size_t>(world_size)));
  return results;
}

/// What the objective of all instances gives without any group.
Evaluation evaluate_here(const Problem& problem) {
  return testing::evaluate_all(problem.topology, problem.range(),
                               problem.weights);
}

}  // namespace

TEST_SUITE("mlp/objective/distributed_objective") {
  TEST_CASE("equals the objective of one rank on any number of ranks") {
    const Problem problem;
    const Evaluation expected = evaluate_here(problem);
    const double bound =
        kRounding * expected.gradient.lpNorm<Eigen::Infinity>();
    for (const Summation summation :
         {Summation::kOverRanks, Summation::kExact}) {
      for (int world_size = 1; world_size <= 9; ++world_size) {
        for (const Evaluation& result :
             evaluate(problem, world_size, summation)) {
          CHECK(std::abs(result.value - expected.value) <=
                kRounding * expected.value);
          CHECK(
              (result.gradient - expected.gradient).lpNorm<Eigen::Infinity>() <=
              bound);
        }
      }
    }
  }

  TEST_CASE("has the bits of its part where one rank holds all instances") {
    const Problem problem;
    const Evaluation expected = evaluate_here(problem);

    const Evaluation own = evaluate(problem, 1, Summation::kOwn).front();

    CHECK(own == expected);
  }

  TEST_CASE("has the same bits on all ranks, and exactly on any number") {
    const Problem problem;
    const Evaluation alone = evaluate(problem, 1, Summation::kExact).front();
    for (int world_size = 2; world_size <= 9; ++world_size) {
      const auto plain = evaluate(problem, world_size, Summation::kOverRanks);
      const auto exact = evaluate(problem, world_size, Summation::kExact);
      for (std::size_t rank = 0; rank < plain.size(); ++rank) {
        CHECK(plain[rank].value == plain[0].value);
        CHECK(plain[rank].gradient == plain[0].gradient);
        CHECK(exact[rank].value == alone.value);
        CHECK(exact[rank].gradient == alone.gradient);
      }
    }
  }

  TEST_CASE("adds exactly what is far too large for the first scale") {
    Problem problem;
    problem.shares *= 1e30;
    const Evaluation alone = evaluate(problem, 1, Summation::kExact).front();

    CHECK(alone.gradient.lpNorm<Eigen::Infinity>() > 1e20);
    for (const Evaluation& result : evaluate(problem, 3, Summation::kExact)) {
      CHECK(result.gradient == alone.gradient);
    }
  }

  TEST_CASE("stops at the next evaluation where it is asked to") {
    const Problem problem;
    distributed::Identity identity;
    for (const Summation summation :
         {Summation::kOwn, Summation::kOverRanks, Summation::kExact}) {
      DistributedObjective objective =
          problem.make(identity, Slices(kNumInstances, 1), summation);
      Vector gradient(problem.topology.num_weights());

      problem.stop.request();

      CHECK_THROWS_AS(objective.value_and_gradient(problem.weights, gradient),
                      optim::Interrupted);
    }
  }

  TEST_CASE("refuses instances that do not weigh 1 together") {
    const Problem problem;
    distributed::ThreadGroup group(2, kDeadlineSeconds);
    // Both ranks have the first half of the instances; nobody has the second.
    const auto errors = distributed::testing::run_ranks(2, [&](int rank) {
      DistributedObjective objective =
          problem.make(group.rank(rank), Slices(kNumInstances, 2).of_rank(0, 2),
                       Summation::kOverRanks);
      Vector gradient(problem.topology.num_weights());

      static_cast<void>(
          objective.value_and_gradient(problem.weights, gradient));
    });

    CHECK(errors ==
          std::vector<std::string>(
              2,
              "the weights of the instances of all ranks must sum to 1; got "
              "1.056 in evaluation 1"));
  }
}

}  // namespace mlp
