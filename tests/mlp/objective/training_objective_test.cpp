// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/training_objective.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../backend/naive_network.hpp"
#include "../evaluation.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

using testing::RandomInstances;

// Sums of some thousand numbers near 1 in another order, relative to the sum.
constexpr double kReordering = 1e-12;

constexpr Index kNumInstances = 3000;  // three slices

using testing::Evaluation;

Evaluation evaluate(const Topology& topology, const InstanceRange& instances,
                    int num_threads) {
  return testing::evaluate_all(topology, instances,
                               draw_initial_weights(topology, 3),
                               {&reference_backend(), num_threads});
}

bool agree(const Evaluation& a, const Evaluation& b) {
  return std::abs(a.value - b.value) <= kReordering * std::abs(b.value) &&
         (a.gradient - b.gradient).norm() <= kReordering * b.gradient.norm();
}

/// A small network and instances for it.
struct Small {
  const Topology topology{{4, 5, 3}};
  const RandomInstances data = testing::draw_instances(topology, kNumInstances);
};

/// Instances first .. first + size - 1 of a range.
InstanceRange part_of(const InstanceRange& whole, const Topology& topology,
                      Index first, Index size) {
  return {size, whole.features + first * topology.num_features(),
          whole.weights + first, whole.labels + first,
          whole.targets + first * topology.num_classes()};
}

/// More weights than one range of the tree, so that threads share its sums.
Topology wide_topology(Loss loss = Loss::kSoftmaxNll) {
  return Topology({6, 200, 7, 3}, loss);
}

}  // namespace

TEST_SUITE("mlp/objective/training_objective") {
  TEST_CASE("agrees with one instance and one number at a time") {
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      const Topology topology({4, 5, 3}, loss);
      for (const Index size : {Index{1}, Index{1024}, kNumInstances}) {
        const RandomInstances data = testing::draw_instances(topology, size);
        Evaluation expected;
        expected.value = testing::naive_objective(
            topology, draw_initial_weights(topology, 3), data.range(),
            expected.gradient);

        CAPTURE(size);
        CHECK(agree(evaluate(topology, data.range(), 2), expected));
      }
    }
  }

  TEST_CASE("gives the same bits for 1 and 2 and 3 threads") {
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      const Topology topology = wide_topology(loss);
      for (const Index size : {kNumInstances, Index{5 * 1024 + 1}}) {
        const RandomInstances data = testing::draw_instances(topology, size);

        const Evaluation alone = evaluate(topology, data.range(), 1);

        CHECK(evaluate(topology, data.range(), 2) == alone);
        CHECK(evaluate(topology, data.range(), 3) == alone);
        CHECK(evaluate(topology, data.range(), 100) == alone);
      }
    }
  }

  TEST_CASE_FIXTURE(Small, "takes less than one thread for one") {
    CHECK(evaluate(topology, data.range(), 0) ==
          evaluate(topology, data.range(), 1));
    CHECK(evaluate(topology, data.range(), -7) ==
          evaluate(topology, data.range(), 1));
  }

  TEST_CASE_FIXTURE(Small,
                    "is the sum of two objectives that share the instances") {
    const Evaluation whole = evaluate(topology, data.range(), 1);

    for (const Index cut : {1, 128, 1000, 1024, 1500, 2999}) {
      Evaluation sum =
          evaluate(topology, part_of(data.range(), topology, 0, cut), 2);
      const Evaluation rest = evaluate(
          topology, part_of(data.range(), topology, cut, kNumInstances - cut),
          3);
      sum.value += rest.value;
      sum.gradient += rest.gradient;

      CAPTURE(cut);
      CHECK(agree(sum, whole));
    }
  }

  TEST_CASE("overwrites the gradient and repeats itself bit for bit") {
    const Topology topology = wide_topology();
    const RandomInstances data =
        testing::draw_instances(topology, kNumInstances);
    TrainingObjective objective(topology, data.range(),
                                {&reference_backend(), 2});
    const Vector weights = draw_initial_weights(topology, 3);
    Vector first(topology.num_weights());
    Vector second = Vector::Constant(topology.num_weights(), std::nan(""));

    const double value = objective.value_and_gradient(weights, first);

    CHECK(objective.value_and_gradient(weights, second) == value);
    CHECK(first == second);
  }

  TEST_CASE("follows the weights from call to call") {
    const Topology topology({4, 5, 3});
    const RandomInstances data = testing::draw_instances(topology, 50);
    TrainingObjective objective(topology, data.range(),
                                {&reference_backend(), 1});
    const Vector weights = draw_initial_weights(topology, 3);
    Vector gradient(topology.num_weights());
    const double before = objective.value_and_gradient(weights, gradient);

    const double after =
        objective.value_and_gradient(weights - 0.01 * gradient, gradient);

    CHECK(after < before);
  }

  TEST_CASE_FIXTURE(
      Small, "is interrupted while is_stopping is true and works after") {
    const Vector weights = draw_initial_weights(topology, 3);
    for (const int num_threads : {1, 3}) {
      std::atomic<bool> is_stopping{true};
      TrainingObjective objective(topology, data.range(),
                                  {&reference_backend(), num_threads,
                                   Precision::kFloat64, &is_stopping});
      Vector gradient(topology.num_weights());

      CHECK_THROWS_WITH_AS(objective.value_and_gradient(weights, gradient),
                           "the evaluation was interrupted",
                           optim::Interrupted);
      is_stopping = false;
      CHECK(objective.value_and_gradient(weights, gradient) ==
            evaluate(topology, data.range(), 1).value);
    }
  }

  TEST_CASE("is 0 with a gradient of 0 for no instances") {
    const Topology topology({4, 3});

    const Evaluation nothing = evaluate(topology, {}, 2);

    CHECK(nothing.value == 0.0);
    CHECK(nothing.gradient == Vector::Zero(15));
  }
}

TEST_SUITE("mlp/training_objective slices") {
  TEST_CASE_FIXTURE(
      Small, "depends on the data and the weights but not on the threads") {
    for (const int num_threads : {1, 2, 64}) {
      const TrainingObjective objective(topology, data.range(),
                                        {&reference_backend(), num_threads});

      CHECK(objective.num_slices() ==
            Slices::count(kNumInstances, topology.num_weights()));
    }
  }
}

}  // namespace mlp
