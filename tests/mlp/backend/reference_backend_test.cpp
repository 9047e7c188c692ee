// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/reference_backend.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../../../mlp/instances/block_weights.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../random_instances.hpp"
#include "naive_network.hpp"
#include "slice_evaluators.hpp"

namespace mlp {

namespace {

using testing::RandomInstances;

// Truncation h^2 and rounding 1e-16 / h of the central difference.
constexpr double kDifferenceTolerance = 1e-6;
constexpr double kStep = 1e-5;

// Sums of some hundred numbers near 1 in another order.
constexpr double kReordering = 1e-12;

constexpr std::int64_t kSeed = 11;

/// One network and one workspace at fixed weights.
struct Network {
  Network(const Topology& from, Vector at)
      : topology(from),
        weights(std::move(at)),
        evaluator(testing::make_slice_evaluator(reference_backend(), topology)),
        workspace(evaluator->make_workspace()) {
    evaluator->set_weights(weights.data());
  }

  double evaluate(const InstanceRange& instances, Vector& gradient) {
    gradient.resize(topology.num_weights());
    return evaluator->compute_gradient(instances, gradient.data(), *workspace);
  }

  [[nodiscard]] Matrix output(const InstanceRange& instances, Index k) const {
    return testing::compute_output(reference_backend(), topology, weights,
                                   instances, k);
  }

  Topology topology;
  Vector weights;
  std::unique_ptr<SliceEvaluator> evaluator;
  std::unique_ptr<SliceEvaluator::Workspace> workspace;
};

Network draw_network(const Topology& topology, double scale = 1.0) {
  return {topology, scale * draw_initial_weights(topology, kSeed)};
}

/// Deep, wide, narrow, without a hidden layer, of one output.
std::vector<std::vector<Index>> shapes() {
  return {{3, 4, 4, 4, 2}, {5, 40, 3}, {1, 1, 2}, {4, 3}, {2, 3, 1}};
}

void check_gradient(Network& network, const InstanceRange& instances) {
  Vector gradient;
  Vector ignored;
  network.evaluate(instances, gradient);
  for (Index i = 0; i < gradient.size(); ++i) {
    const double weight = network.weights[i];
    network.weights[i] = weight + kStep;
    const double above = network.evaluate(instances, ignored);
    network.weights[i] = weight - kStep;
    const double below = network.evaluate(instances, ignored);
    network.weights[i] = weight;
    const double difference = (above - below) / (2.0 * kStep);
    CAPTURE(i);
    CHECK(std::abs(gradient[i] - difference) < kDifferenceTolerance);
  }
}

/// Checks value and gradient against the naive network.
void check_naive(Network& network, const InstanceRange& instances) {
  Vector gradient;
  Vector expected;
  const double value = network.evaluate(instances, gradient);
  const double expected_value = testing::naive_objective(
      network.topology, network.weights, instances, expected);
  CHECK(std::abs(value - expected_value) <=
        kReordering * std::max(1.0, std::abs(expected_value)));
  CHECK((gradient - expected).norm() <=
        kReordering * std::max(1.0, expected.norm()));
}

/// Spark's objective in Spark's words: the mean over all blocks of each block's
/// own mean.
double mean_over_blocks(const Network& network, const RandomInstances& data,
                        const std::vector<Index>& partitions, Index block_size,
                        Vector& gradient) {
  gradient.setZero(network.topology.num_weights());
  Vector of_block;
  double value = 0.0;
  double num_blocks = 0.0;
  Index first = 0;
  for (const Index partition : partitions) {
    for (Index left = partition; left > 0; left -= block_size) {
      const Index size = std::min(left, block_size);
      const Vector mean =
          Vector::Constant(size, 1.0 / static_cast<double>(size));
      value += testing::naive_objective(
          network.topology, network.weights,
          {size, data.features.col(first).data(), mean.data(),
           data.labels.data() + first, nullptr},
          of_block);
      gradient += of_block;
      num_blocks += 1.0;
      first += size;
    }
  }
  gradient /= num_blocks;
  return value / num_blocks;
}

}  // namespace

TEST_SUITE("mlp/backend/reference_backend") {
  TEST_CASE("calls itself reference and is one object") {
    CHECK(std::string(reference_backend().name()) == "reference");
    CHECK(&reference_backend() == &reference_backend());
  }

  // One instance x = 2, zero weights: both classes 1/2, loss log 2. Label 0 gives
  // the delta (-1/2, 1/2), times the instance's weight 3.
  TEST_CASE("computes loss and gradient of one instance by hand") {
    const Topology topology({1, 2});
    Network network(topology, Vector::Zero(4));
    const double feature = 2.0;
    const double weight = 3.0;
    const std::int32_t label = 0;
    Vector gradient;

    const double loss =
        network.evaluate({1, &feature, &weight, &label, nullptr}, gradient);

    Vector expected(4);
    expected << -3.0, 3.0, -1.5, 1.5;
    CHECK(loss == 3.0 * std::log(2.0));
    CHECK(gradient == expected);
  }

  TEST_CASE("agrees with one instance and one number at a time") {
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      for (const auto& layers : shapes()) {
        // Less than a tile, one, and more than two with a rest.
        for (const Index size : {1, 7, 128, 300}) {
          CAPTURE(layers.size());
          CAPTURE(size);
          Network network = draw_network(Topology(layers, loss));
          check_naive(network,
                      testing::draw_instances(network.topology, size).range());
        }
      }
    }
  }

  TEST_CASE("has the gradient that central differences give") {
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      for (const auto& layers : shapes()) {
        CAPTURE(layers.size());
        Network network = draw_network(Topology(layers, loss));
        check_gradient(network,
                       testing::draw_instances(network.topology, 9).range());
      }
    }
  }

  TEST_CASE("has the right gradient where the units are saturated") {
    for (const Loss loss : {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError}) {
      Network network = draw_network(Topology({3, 4, 4, 2}, loss), 20.0);
      const RandomInstances instances =
          testing::draw_instances(network.topology, 9);

      const Matrix hidden = network.output(instances.range(), 0);

      CHECK(hidden.maxCoeff() > 1.0 - 1e-6);
      CHECK(hidden.minCoeff() < 1e-6);
      check_gradient(network, instances.range());
    }
  }

  TEST_CASE("follows the mean over blocks for every block size") {
    const std::vector<Index> partitions{5, 0, 4};
    Network network = draw_network(Topology({3, 4, 3}));
    RandomInstances data = testing::draw_instances(network.topology, 9);
    for (Index block_size = 1; block_size <= 9; ++block_size) {
      Vector expected;
      const double expected_value =
          mean_over_blocks(network, data, partitions, block_size, expected);
      data.weights = block_weights(partitions, block_size);
      Vector gradient;

      const double value = network.evaluate(data.range(), gradient);

      CAPTURE(block_size);
      CHECK(std::abs(value - expected_value) < kReordering);
      CHECK((gradient - expected).norm() < kReordering);
    }
  }

  TEST_CASE("replaces what was in the gradient") {
    Network network = draw_network(Topology({3, 4, 2}));
    const RandomInstances data = testing::draw_instances(network.topology, 20);
    Vector alone;
    network.evaluate(data.range(), alone);
    Vector gradient = Vector::LinSpaced(alone.size(), -1.0, 1.0);

    network.evaluator->compute_gradient(data.range(), gradient.data(),
                                        *network.workspace);

    CHECK(gradient == alone);
  }

  TEST_CASE("computes zeros for no instances") {
    Network network = draw_network(Topology({3, 4, 2}));
    Vector gradient;

    CHECK(network.evaluate({}, gradient) == 0.0);
    CHECK(gradient == Vector::Zero(gradient.size()));
  }

  // z = (0, 800): exp(-800) is 0, and 0 log 0 is NaN although class 1 is right.
  TEST_CASE("has a loss of NaN where a probability underflows as in Spark") {
    Vector weights(4);
    weights << 0.0, 800.0, 0.0, 0.0;
    Network network(Topology({1, 2}), weights);
    const double one = 1.0;
    const std::int32_t right = 1;
    Vector gradient;

    const double far =
        network.evaluate({1, &one, &one, &right, nullptr}, gradient);
    network.weights[1] = 700.0;
    const double near =
        network.evaluate({1, &one, &one, &right, nullptr}, gradient);

    CHECK(std::isnan(far));
    CHECK(near == 0.0);
    CHECK(gradient.allFinite());
  }

  TEST_CASE("has a loss of NaN where a weight is NaN") {
    Network network = draw_network(Topology({3, 4, 2}));
    network.weights[0] = std::nan("");
    Vector gradient;

    const double value = network.evaluate(
        testing::draw_instances(network.topology, 5).range(), gradient);

    CHECK(std::isnan(value));
  }

  TEST_CASE(
      "computes the output of each layer and hidden ones after the sigmoid") {
    Network network = draw_network(Topology({3, 4, 5, 2}));
    const RandomInstances data = testing::draw_instances(network.topology, 300);

    for (Index k = 0; k < 3; ++k) {
      const Matrix output = network.output(data.range(), k);
      double largest = 0.0;
      for (Index i = 0; i < 300; ++i) {
        const auto expected = testing::naive_outputs(
            network.topology, network.weights, data.features.col(i).data());
        for (Index o = 0; o < output.rows(); ++o) {
          const double number = expected[testing::at(k + 1)][testing::at(o)];
          largest = std::max(largest, std::abs(output(o, i) - number));
        }
      }
      CAPTURE(k);
      CHECK(largest < kReordering);
    }
  }

  TEST_CASE("computes hidden outputs of exactly 0 and 1 where z is large") {
    Vector weights(8);
    weights << 1e6, -1e6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
    Network network(Topology({1, 2, 1}), weights.head(7));
    const double one = 1.0;

    const Matrix hidden =
        network.output({1, &one, nullptr, nullptr, nullptr}, 0);

    CHECK(hidden(0, 0) == 1.0);
    CHECK(hidden(1, 0) == 0.0);
  }

  TEST_CASE("gives the same bits with the workspace of another call") {
    Network network = draw_network(Topology({3, 6, 2}));
    const RandomInstances data = testing::draw_instances(network.topology, 200);
    const RandomInstances other = testing::draw_instances(network.topology, 33);
    Vector first;
    Vector second;
    const double value = network.evaluate(data.range(), first);
    (void)network.output(other.range(), 1);

    CHECK(network.evaluate(data.range(), second) == value);
    CHECK(first == second);
    network.workspace = network.evaluator->make_workspace();
    CHECK(network.evaluate(data.range(), second) == value);
    CHECK(first == second);
  }
}

}  // namespace mlp
