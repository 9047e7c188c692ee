// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/reference_network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "../../../mlp/network/initial_weights.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

using Network = ReferenceNetwork;

// A few roundings of numbers near 1, in sums of a few products.
constexpr double kRounding = 1e-13;

constexpr PassMode kTraining{true, 7};

HiddenLayer relu_layer(bool is_residual = false, bool has_batch_norm = false,
                       double dropout = 0.0) {
  return {*Activation::find("relu"), is_residual, has_batch_norm, dropout};
}

/// A network and what it computed.
struct Pass {
  Pass(Topology topology, Vector at, const Matrix& instances,
       PassMode pass_mode = {}, FrozenLayers frozen = {})
      : network(std::move(topology), std::move(frozen)),
        weights(std::move(at)),
        statistics(BatchNorm::initial_statistics(network.topology())),
        features(instances),
        mode(pass_mode),
        layers(network.make_layers(features.cols())) {}

  Matrix forward() {
    return network.forward(view(), weights.data(), statistics.data(),
                           network.topology().num_layers() - 1, mode, layers);
  }

  /// With d loss / d z of 1 everywhere.
  Vector backward() {
    Vector gradient = Vector::Zero(weights.size());
    layers.back().delta.setOnes();
    network.backward(view(), weights.data(), mode, layers, gradient.data());
    return gradient;
  }

  [[nodiscard]] Network::Features view() const {
    return {features.data(), features.rows(), features.cols()};
  }

  Network network;
  Vector weights;
  Vector statistics;
  Matrix features;
  PassMode mode;
  Network::Layers layers;
};

/// With every part, drawn weights and drawn features.
Topology rich_topology() {
  const HiddenLayer layer{*Activation::find("swish"), true, true, 0.4};
  return Topology({3, 4, 4, 2}, {}, {layer, layer});
}

Vector drawn_weights(const Topology& topology) {
  return draw_initial_weights(topology, 3);
}

Matrix drawn_features(const Topology& topology, Index size = 6) {
  return testing::draw_instances(topology, size).features;
}

}  // namespace

TEST_SUITE("mlp/backend/reference_network") {
  // x = 3, z = 2 * 3 + 1 = 7, y = 3 + relu(7) = 10, 0.5 * 10 - 1 = 4. Back from
  // 1: dW = 10 and db = 1 of the last; d y = 0.5, so that dW = 0.5 * 3 and db =
  // 0.5 of the first.
  TEST_CASE("computes a worked example that adds its input") {
    Pass pass(Topology({1, 1, 1}, {}, {relu_layer(true)}),
              Vector{{2.0, 1.0, 0.5, -1.0}}, Matrix::Constant(1, 1, 3.0));

    CHECK(pass.forward()(0, 0) == 4.0);
    CHECK(pass.backward() == Vector{{1.5, 0.5, 10.0, 1.0}});
  }

  // x = 2: z = (2 - 1, -2), relu (1, 0), P x = (6, 8), y = (7, 8); the last sums
  // both. Back from 1: only the first unit is active, so that dW = (2, 0), db =
  // (1, 0), dP = (2, 2).
  TEST_CASE("computes a worked example that adds a projection") {
    Vector weights(9);
    weights << 1.0, -1.0, -1.0, 0.0, 3.0, 4.0, 1.0, 1.0, 0.0;
    Vector expected(9);
    expected << 2.0, 0.0, 1.0, 0.0, 2.0, 2.0, 7.0, 8.0, 1.0;
    Pass pass(Topology({1, 2, 1}, {}, {relu_layer(true)}), weights,
              Matrix::Constant(1, 1, 2.0));

    CHECK(pass.forward()(0, 0) == 15.0);
    CHECK(pass.backward() == expected);
  }

  // Below the second layer: d y of the first is W^T delta + d y = 3 * 2 + 2 = 8
  // with last weight 2, W 3; the first layer has dW = 8 x = 8.
  TEST_CASE("passes the derivative on through the connection") {
    Vector weights(6);
    weights << 1.0, 0.0, 3.0, 0.0, 2.0, 0.0;
    Pass pass(Topology({1, 1, 1, 1}, {}, {relu_layer(), relu_layer(true)}),
              weights, Matrix::Ones(1, 1));

    CHECK(pass.forward()(0, 0) == 8.0);
    CHECK(pass.backward()[0] == 8.0);
  }

  // z = (1, 3): mean 2, variance 1, or 2 with division by one less. With r =
  // 1 / sqrt(1 + epsilon), scale 2 and shift 1: relu(1 -+ 2 r). The running mean
  // moves from 0 to 0.2, the variance from 1 to 1 + 0.1 (2 - 1).
  TEST_CASE("normalises a worked example by the mini-batch") {
    Vector weights(6);
    weights << 1.0, 0.0, 2.0, 1.0, 1.0, 0.0;
    Pass pass(Topology({1, 1, 1}, {}, {relu_layer(false, true)}), weights,
              Matrix{{1.0, 3.0}}, kTraining);

    const Matrix output = pass.forward();

    const double r = 1.0 / std::sqrt(1.0 + 1e-5);
    CHECK(output(0, 0) == 0.0);
    CHECK(std::abs(output(0, 1) - (1.0 + 2.0 * r)) < kRounding);
    CHECK((pass.statistics - Vector{{0.2, 1.1}}).norm() < kRounding);
  }

  // A frozen layer of running mean 1 and variance 4: (5 - 1) / 2 = 2.
  TEST_CASE("normalises a frozen layer by its running statistics") {
    Vector weights(6);
    weights << 1.0, 0.0, 1.0, 0.0, 1.0, 0.0;
    Pass pass(Topology({1, 1, 1}, {}, {relu_layer(false, true)}), weights,
              Matrix{{5.0, -3.0}}, kTraining, {true, false});
    const Vector before{{1.0, 4.0 - 1e-5}};
    pass.statistics = before;

    const Matrix output = pass.forward();

    CHECK((output - Matrix{{2.0, 0.0}}).norm() < kRounding);
    CHECK(pass.statistics == before);
    CHECK(pass.backward().head(4) == Vector::Zero(4));
  }

  TEST_CASE("agrees with the folded network where every layer is frozen") {
    const Topology topology = rich_topology();
    HiddenLayer layer = topology.hidden(0);
    layer.dropout = 0.0;
    const Topology normalised({3, 4, 4, 2}, {}, {layer, layer});
    Pass pass(normalised, drawn_weights(normalised), drawn_features(topology),
              kTraining, {true, true, true});
    pass.statistics = Vector::LinSpaced(16, 0.5, 2.0);
    const ScoringNetwork folded =
        fold_for_scoring(normalised, pass.weights, pass.statistics);
    Pass scoring(folded.topology, folded.weights, pass.features);

    CHECK((pass.forward() - scoring.forward()).norm() < kRounding);
    CHECK(pass.backward() == Vector::Zero(pass.weights.size()));
  }

  TEST_CASE("multiplies with the factors of dropout in training alone") {
    const Topology topology({3, 4, 2}, {}, {relu_layer(false, false, 0.5)});
    const Vector weights = drawn_weights(topology);
    const Matrix features = drawn_features(topology);
    Pass training(topology, weights, features, kTraining);
    Pass scoring(topology, weights, features);

    training.forward();
    scoring.forward();

    const DropoutMask mask(kTraining.dropout_seed, 0, 0.5);
    for (Index j = 0; j < features.cols(); ++j) {
      for (Index i = 0; i < 4; ++i) {
        CHECK(training.layers[0].output(i, j) ==
              scoring.layers[0].output(i, j) * mask.factor(j, i));
      }
    }
  }

  TEST_CASE("stops at the layer that is asked for") {
    const Topology topology({3, 4, 4, 2});
    Pass pass(topology, drawn_weights(topology), drawn_features(topology));
    pass.layers[2].output.setConstant(5.0);

    const Matrix hidden = pass.network.forward(pass.view(), pass.weights.data(),
                                               nullptr, 1, {}, pass.layers);

    CHECK(hidden == pass.layers[1].output);
    CHECK(hidden.rows() == 4);
    CHECK(pass.layers[2].output == Matrix::Constant(2, 6, 5.0));
  }

  TEST_CASE("adds to the gradient that is there") {
    const Topology topology = rich_topology();
    Pass pass(topology, drawn_weights(topology), drawn_features(topology),
              kTraining);
    pass.forward();
    const Vector once = pass.backward();
    Vector sum = Vector::Ones(once.size());
    pass.layers.back().delta.setOnes();

    pass.network.backward(pass.view(), pass.weights.data(), pass.mode,
                          pass.layers, sum.data());

    CHECK((sum - once - Vector::Ones(once.size())).norm() < kRounding);
  }

  TEST_CASE("computes the same with room for more instances") {
    const Topology topology = rich_topology();
    Pass pass(topology, drawn_weights(topology), drawn_features(topology),
              kTraining);
    const Matrix output = pass.forward();
    const Vector gradient = pass.backward();
    pass.layers = pass.network.make_layers(50);

    const Matrix roomy = pass.forward();

    CHECK((roomy.leftCols(6) - output).norm() < kRounding);
    CHECK((pass.backward() - gradient).norm() < kRounding);
  }
}

}  // namespace mlp
