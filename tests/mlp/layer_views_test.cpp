// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/layer_views.hpp"

#include <doctest/doctest.h>

namespace mlp {

namespace {

/// 0, 1, 2, ..: each number tells its position.
Vector count_up(const Topology& topology) {
  return Vector::LinSpaced(topology.num_weights(), 0.0,
                           static_cast<double>(topology.num_weights() - 1));
}

}  // namespace

TEST_SUITE("mlp/layer_views") {
  TEST_CASE("sees weights column by column and the biases behind them") {
    const Topology topology({2, 3, 2});
    const Vector flat = count_up(topology);

    const ConstLayerView first = view_layer(topology, 0, flat.data());
    const ConstLayerView second = view_layer(topology, 1, flat.data());

    Matrix expected(3, 2);
    expected << 0, 3, 1, 4, 2, 5;
    CHECK(first.weights == expected);
    CHECK(first.biases == Vector::LinSpaced(3, 6.0, 8.0));
    expected.resize(2, 3);
    expected << 9, 11, 13, 10, 12, 14;
    CHECK(second.weights == expected);
    CHECK(second.biases == Vector::LinSpaced(2, 15.0, 16.0));
  }

  TEST_CASE("writes through to the flat vector without a copy") {
    const Topology topology({2, 3, 2});
    Vector flat = Vector::Zero(topology.num_weights());

    LayerView view = view_layer(topology, 1, flat.data());
    view.weights(1, 2) = 5.0;
    view.biases[0] = 7.0;

    CHECK(view.weights.data() == flat.data() + 9);
    CHECK(flat[14] == 5.0);
    CHECK(flat[15] == 7.0);
    CHECK(flat.sum() == 12.0);
  }

  TEST_CASE("covers each position of the flat vector once") {
    const Topology topology({4, 5, 1, 3});
    Vector flat = Vector::Zero(topology.num_weights());

    for (Index k = 0; k < topology.num_layers(); ++k) {
      LayerView view = view_layer(topology, k, flat.data());
      view.weights.array() += 1.0;
      view.biases.array() += 1.0;
    }

    CHECK(flat == Vector::Ones(topology.num_weights()));
  }
}

}  // namespace mlp
