// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/layer_views.hpp"

#include <doctest/doctest.h>

namespace mlp {

namespace {

/// 0, 1, 2, ..: each number tells its position.
Vector count_up(const Topology& topology) {
  return Vector::LinSpaced(topology.num_weights(), 0.0,
                           static_cast<double>(topology.num_weights() - 1));
}

}  // namespace

TEST_SUITE("mlp/network/layer_views") {
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

  // W [2 x 1] at 0, biases at 2, projection [2 x 1] at 4, scales at 6, shifts
  // at 8.
  TEST_CASE("sees projection, scales and shifts behind the biases") {
    HiddenLayer layer;
    layer.is_residual = true;
    layer.has_batch_norm = true;
    const Topology topology({1, 2, 2}, {}, {layer});
    const Vector flat = count_up(topology);

    const ConstLayerView first = view_layer(topology, 0, flat.data());
    const ConstLayerView second = view_layer(topology, 1, flat.data());

    CHECK(first.weights == Matrix{{0.0}, {1.0}});
    CHECK(first.biases == Vector{{2.0, 3.0}});
    CHECK(first.projection == Matrix{{4.0}, {5.0}});
    CHECK(first.scales == Vector{{6.0, 7.0}});
    CHECK(first.shifts == Vector{{8.0, 9.0}});
    CHECK(second.weights(0, 0) == 10.0);
  }

  TEST_CASE("sees empty parts where a layer does not have them") {
    const Topology topology({2, 3, 2});
    const Vector flat = count_up(topology);

    const ConstLayerView view = view_layer(topology, 0, flat.data());

    CHECK(view.projection.size() == 0);
    CHECK(view.scales.size() == 0);
    CHECK(view.shifts.size() == 0);
  }

  TEST_CASE("covers each position once with every part of a layer") {
    HiddenLayer layer;
    layer.is_residual = true;
    layer.has_batch_norm = true;
    const Topology topology({4, 5, 5, 3}, {}, {layer, layer});
    Vector flat = Vector::Zero(topology.num_weights());

    for (Index k = 0; k < topology.num_layers(); ++k) {
      LayerView view = view_layer(topology, k, flat.data());
      view.weights.array() += 1.0;
      view.biases.array() += 1.0;
      view.projection.array() += 1.0;
      view.scales.array() += 1.0;
      view.shifts.array() += 1.0;
    }

    CHECK(flat == Vector::Ones(topology.num_weights()));
  }

  TEST_CASE("views single precision as well") {
    const Topology topology({2, 1});
    const Eigen::VectorXf flat{{1.0f, 2.0f, 3.0f}};

    const auto view = view_layer(topology, 0, flat.data());

    CHECK(view.weights(0, 1) == 2.0f);
    CHECK(view.biases[0] == 3.0f);
  }
}

}  // namespace mlp
