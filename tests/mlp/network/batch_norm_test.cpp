// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/batch_norm.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-13;

HiddenLayer normalised_layer() {
  HiddenLayer layer;
  layer.has_batch_norm = true;
  return layer;
}

}  // namespace

TEST_SUITE("mlp/network/batch_norm") {
  TEST_CASE("starts with means 0 and variances 1 of each layer that has it") {
    const Topology topology(
        {4, 2, 3, 1, 2}, {},
        {normalised_layer(), HiddenLayer(), normalised_layer()});
    Vector expected(6);
    expected << 0.0, 0.0, 1.0, 1.0, 0.0, 1.0;

    CHECK(BatchNorm::initial_statistics(topology) == expected);
    CHECK(BatchNorm::initial_statistics(Topology({4, 2, 3})).size() == 0);
  }

  TEST_CASE("keeps the constants of PyTorch") {
    CHECK(BatchNorm::kEpsilon == 1e-5);
    CHECK(BatchNorm::kMomentum == 0.1);
  }

  TEST_CASE("folds nothing where there is nothing of the training alone") {
    const Topology topology({2, 3, 2});
    const Vector weights = Vector::LinSpaced(topology.num_weights(), -1.0, 1.0);

    const ScoringNetwork network =
        fold_for_scoring(topology, weights, Vector());

    CHECK(network.topology == topology);
    CHECK(network.weights == weights);
  }

  // One unit of W = 3, b = 2, scale 4, shift 5, mean 1 and variance 0.25 less
  // epsilon: r = 4 / 0.5 = 8, so that W becomes 24 and b (2 - 1) 8 + 5 = 13.
  TEST_CASE("folds a worked example into the affine layer") {
    const Topology topology({1, 1, 1}, {}, {normalised_layer()});
    Vector weights(6);
    weights << 3.0, 2.0, 4.0, 5.0, 6.0, 7.0;
    Vector expected(4);
    expected << 24.0, 13.0, 6.0, 7.0;

    const ScoringNetwork network = fold_for_scoring(
        topology, weights, Vector{{1.0, 0.25 - BatchNorm::kEpsilon}});

    CHECK(network.topology == Topology({1, 1, 1}));
    CHECK((network.weights - expected).norm() < kRounding);
  }

  TEST_CASE("leaves out dropout and keeps weights, skips and activations") {
    HiddenLayer layer{*Activation::find("relu"), true, false, 0.5};
    const Topology topology({2, 3, 3, 2}, {Loss::kSoftmaxNll, 0.2},
                            {layer, layer});
    const Vector weights = Vector::LinSpaced(topology.num_weights(), -1.0, 1.0);

    const ScoringNetwork network =
        fold_for_scoring(topology, weights, Vector());

    layer.dropout = 0.0;
    CHECK(network.topology ==
          Topology({2, 3, 3, 2}, {Loss::kSoftmaxNll, 0.2}, {layer, layer}));
    CHECK(network.weights == weights);
  }

  TEST_CASE("scales rows and leaves the projection as it is") {
    HiddenLayer layer = normalised_layer();
    layer.is_residual = true;
    const Topology topology({2, 3, 2}, {}, {layer});
    const Vector weights = Vector::LinSpaced(topology.num_weights(), -1.0, 1.0);
    Vector statistics(6);
    statistics << 0.5, -1.0, 2.0, 0.1, 1.0, 4.0;

    const ScoringNetwork network =
        fold_for_scoring(topology, weights, statistics);

    const ConstLayerView old = view_layer(topology, 0, weights.data());
    const ConstLayerView folded =
        view_layer(network.topology, 0, network.weights.data());
    CHECK(folded.projection == old.projection);
    CHECK(folded.scales.size() == 0);
    for (Index i = 0; i < 3; ++i) {
      const double z = old.weights.row(i).sum() + old.biases[i];
      const double deviation = std::sqrt(statistics[3 + i] + 1e-5);
      const double y =
          old.scales[i] * (z - statistics[i]) / deviation + old.shifts[i];
      CHECK(std::abs(folded.weights.row(i).sum() + folded.biases[i] - y) <
            kRounding);
    }
  }
}

}  // namespace mlp
