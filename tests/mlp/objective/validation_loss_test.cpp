// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/validation_loss.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../backend/naive_network.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

// Sums of some thousand numbers near 1, in another order.
constexpr double kRounding = 1e-13;

double validation_loss(const Topology& topology, const InstanceRange& instances,
                       const Vector& weights, const Vector& statistics = {},
                       int num_threads = 1) {
  ThreadPool pool(num_threads);
  return ValidationLoss(topology, reference_backend(), instances, pool)
      .compute(weights, statistics);
}

}  // namespace

TEST_SUITE("mlp/objective/validation_loss") {
  TEST_CASE("averages the loss by the weights of the instances") {
    // Two parts of instances and a bit.
    const Topology topology({3, 4, 3});
    const auto instances = testing::draw_instances(topology, 2100);
    const Vector weights = draw_initial_weights(topology, 5);
    Vector gradient;
    const double expected =
        testing::naive_objective(topology, weights, instances.range(),
                                 gradient) /
        instances.weights.sum();

    CHECK(validation_loss(topology, instances.range(), weights) ==
          doctest::Approx(expected).epsilon(kRounding));
  }

  TEST_CASE("counts every instance once where there are no weights") {
    // Without weights in the network the two classes are equally likely.
    const Topology topology({3, 2});
    const auto instances = testing::draw_instances(topology, 30);
    InstanceRange range = instances.range();
    range.weights = nullptr;

    CHECK(validation_loss(topology, range, Vector::Zero(8)) ==
          doctest::Approx(std::log(2.0)).epsilon(kRounding));
  }

  TEST_CASE("takes half the squared error of a regressor") {
    // The outputs are the bias 0.5: (1/2) mean of (0.5 - t)^2.
    const Topology topology({2, 1}, Loss::kSquaredError);
    const auto instances = testing::draw_instances(topology, 30);
    InstanceRange range = instances.range();
    range.weights = nullptr;
    const double expected =
        (instances.targets.array() - 0.5).square().mean() / 2;
    Vector weights = Vector::Zero(3);
    weights[2] = 0.5;

    CHECK(validation_loss(topology, range, weights) ==
          doctest::Approx(expected).epsilon(kRounding));
  }

  TEST_CASE("normalises by running statistics and leaves dropout out") {
    // With scale sqrt(1 + epsilon) and statistics 0 and 1 the normalisation
    // changes nothing.
    const Topology plain({3, 4, 3});
    const Topology trained({3, 4, 3}, {}, {HiddenLayer{{}, false, true, 0.5}});
    const auto instances = testing::draw_instances(plain, 50);
    const Vector weights = draw_initial_weights(plain, 5);
    Vector more(trained.num_weights());
    more << weights.head(16),
        Vector::Constant(4, std::sqrt(1.0 + BatchNorm::kEpsilon)),
        Vector::Zero(4), weights.tail(15);

    CHECK(validation_loss(trained, instances.range(), more,
                          BatchNorm::initial_statistics(trained)) ==
          doctest::Approx(validation_loss(plain, instances.range(), weights))
              .epsilon(kRounding));
  }

  TEST_CASE("is interrupted while is_stopping is true and works after") {
    const Topology topology({3, 4, 3});
    const auto instances = testing::draw_instances(topology, 2100);
    const Vector weights = draw_initial_weights(topology, 5);
    for (const int num_threads : {1, 3}) {
      ThreadPool pool(num_threads);
      std::atomic<bool> is_stopping{true};
      ValidationLoss loss(topology, reference_backend(), instances.range(),
                          pool, &is_stopping);

      CHECK_THROWS_AS(loss.compute(weights, {}), optim::Interrupted);
      is_stopping = false;
      CHECK(loss.compute(weights, {}) ==
            validation_loss(topology, instances.range(), weights));
    }
  }

  TEST_CASE("computes the accuracy by the weights of instances") {
    // The outputs are (x, 0): class 0 if x > 0. The last of three is wrong.
    const Topology topology({1, 2});
    const std::vector<double> features{1.0, -1.0, 2.0};
    const std::vector<std::int32_t> labels{0, 1, 1};
    const std::vector<double> instance_weights{1.0, 1.0, 2.0};
    InstanceRange range;
    range.size = 3;
    range.features = features.data();
    range.labels = labels.data();
    range.weights = instance_weights.data();
    ThreadPool pool(1);
    ValidationLoss loss(topology, reference_backend(), range, pool);

    CHECK(loss.accuracy(Vector{{1.0, 0.0, 0.0, 0.0}}, {}) == 0.5);
  }

  TEST_CASE("gives the same bits for any number of threads") {
    const Topology topology({3, 4, 3});
    const auto instances = testing::draw_instances(topology, 5000);
    const Vector weights = draw_initial_weights(topology, 5);

    CHECK(validation_loss(topology, instances.range(), weights, {}, 3) ==
          validation_loss(topology, instances.range(), weights, {}, 1));
  }
}

}  // namespace mlp
