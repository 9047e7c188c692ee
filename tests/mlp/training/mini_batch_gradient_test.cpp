// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/mini_batch_gradient.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "../../../mlp/instances/training_instances.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "rings.hpp"

namespace mlp {

namespace {

/// Mini-batches of the rings by the reference.
struct Fixture {
  Fixture() : data(testing::make_rings(20)), pool(1) {
    params.layers = {2, 4, 3};
    params.solver = Solver::kSgd;
    options.is_stopping = &is_stopping;
  }

  double compute(MiniBatchGradient<double>& gradient,
                 const std::vector<Index>& batch) {
    return gradient.compute({0, batch, 0}, weights.data(), nullptr,
                            result.data());
  }

  datasets::Dataset data;
  Params params;
  FitOptions options;
  std::atomic<bool> is_stopping{false};
  ThreadPool pool;
  Vector weights = draw_initial_weights(Topology({2, 4, 3}), 1);
  Vector result = Vector::Zero(27);
};

}  // namespace

TEST_SUITE("mlp/training/mini_batch_gradient") {
  TEST_CASE("is what the backend computes") {
    Fixture fixture;
    const Topology topology({2, 4, 3});
    const TrainingInstances instances(fixture.data, topology, fixture.params);
    LocalMiniBatchGradient<double> gradient(topology, fixture.params,
                                            fixture.options, instances.range(),
                                            fixture.pool);
    const auto evaluator = reference_backend().make_batch_evaluator(
        topology, {}, std::type_identity<double>{});
    evaluator->bind(instances.range());
    const std::vector<Index> batch{3, 5, 19};
    Vector expected(27);
    const double value =
        evaluator->value_and_gradient({batch}, fixture.weights.data(), nullptr,
                                      expected.data(), fixture.pool);

    CHECK(fixture.compute(gradient, batch) == value);
    CHECK(fixture.result == expected);
  }

  TEST_CASE("stops where the caller of either kind wants it") {
    Fixture fixture;
    const Topology topology({2, 4, 3});
    const TrainingInstances instances(fixture.data, topology, fixture.params);
    for (const bool by_flag : {true, false}) {
      LocalMiniBatchGradient<double> gradient(topology, fixture.params,
                                              fixture.options,
                                              instances.range(), fixture.pool);
      fixture.is_stopping = by_flag;
      if (!by_flag) gradient.request_stop();

      CHECK_THROWS_AS(static_cast<void>(fixture.compute(gradient, {1})),
                      optim::Interrupted);
    }
  }
}

}  // namespace mlp
