// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/fused_network.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../mlp/network/topology.hpp"

namespace {

using mlp::Activation;
using mlp::HiddenLayer;
using mlp::Index;
using mlp::Loss;
using mlp::Topology;
using mlp::cuda::FusedNetwork;
using mlp::cuda::is_fusable;
using mlp::cuda::lay_out;

Topology with_hidden(const HiddenLayer& layer) {
  return Topology({3, 3, 2}, Loss::kSoftmaxNll, {layer});
}

Topology with_activation(Activation activation) {
  return with_hidden({activation, false, false, 0.0});
}

TEST_SUITE("cuda/fused/fused_network") {
  TEST_CASE("accepts Spark's networks, every activation and every loss") {
    CHECK(is_fusable(Topology({4, 5, 3})));
    CHECK(is_fusable(Topology({4, 3})));
    CHECK(is_fusable(Topology({4, 5, 3}, Loss::kSquaredError)));
    for (const auto name : Activation::names()) {
      CHECK(is_fusable(with_activation(*Activation::find(name))));
    }
  }

  TEST_CASE("refuses layers that do more than an activation") {
    CHECK_FALSE(is_fusable(with_hidden({{}, true, false, 0.0})));
    CHECK_FALSE(is_fusable(with_hidden({{}, false, true, 0.0})));
    CHECK_FALSE(is_fusable(with_hidden({{}, false, false, 0.5})));
  }

  TEST_CASE("refuses more layers than a kernel has room for") {
    const std::vector<Index> most(FusedNetwork::kMaxLayers + 1, 2);
    const std::vector<Index> more(FusedNetwork::kMaxLayers + 2, 2);

    CHECK(is_fusable(Topology(most)));
    CHECK_FALSE(is_fusable(Topology(more)));
  }

  // Features with ones 4 x 5 numbers; [W b] 4 columns of 3, twice; outputs with
  // ones 3 x 5; [W b] 3 columns of 3, twice; outputs 3 x 5.
  TEST_CASE("lays out [3, 2, 3] for tiles of 4 without overlap") {
    const FusedNetwork network = lay_out(Topology({3, 2, 3}), 4);

    CHECK(network.tile_stride == 5);
    CHECK(network.layers[0].input == 0);
    CHECK(network.layers[0].weight_stride == 3);
    CHECK(network.layers[0].weights == 20);
    CHECK(network.layers[0].gradient == 32);
    CHECK(network.layers[0].output == 44);
    CHECK(network.layers[1].input == 44);
    CHECK(network.layers[1].first_weight == 8);
    CHECK(network.layers[1].weights == 59);
    CHECK(network.layers[1].gradient == 68);
    CHECK(network.layers[1].output == 77);
    CHECK(network.num_numbers == 92);
    CHECK(network.num_weights == 17);
  }

  TEST_CASE("keeps z only where the derivative needs it") {
    const auto swish = *Activation::find("swish");
    const FusedNetwork kept = lay_out(with_activation(swish), 4);
    const FusedNetwork plain = lay_out(with_hidden({}), 4);

    CHECK(plain.layers[0].sums == -1);
    CHECK(kept.layers[0].sums == kept.layers[0].output + 4 * 5);
    CHECK(kept.num_numbers == plain.num_numbers + 3 * 5);
  }

  TEST_CASE("computes the likelihood of probabilities for Spark's networks") {
    const auto tanh = *Activation::find("tanh");

    CHECK(lay_out(with_hidden({}), 4).is_of_probabilities);
    CHECK_FALSE(lay_out(with_activation(tanh), 4).is_of_probabilities);
  }
}

}  // namespace
