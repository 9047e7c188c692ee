// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/topology.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

using Sizes = std::vector<Index>;

/// A layer with a residual connection, with batch normalisation, or with both.
HiddenLayer layer_of(bool is_residual, bool has_batch_norm) {
  HiddenLayer layer;
  layer.is_residual = is_residual;
  layer.has_batch_norm = has_batch_norm;
  return layer;
}

std::string refusal(Sizes layers, std::vector<HiddenLayer> hidden_layers = {}) {
  return test::thrown_message<ParamError>([&] {
    return Topology(std::move(layers), {}, std::move(hidden_layers));
  });
}

}  // namespace

TEST_SUITE("mlp/network/topology") {
  // 3 outputs of 2 inputs: 6 weights at 0, 3 biases at 6; 2 outputs of 3 inputs:
  // 6 weights at 9, 2 biases at 15.
  TEST_CASE("lays out weights and then biases layer after layer") {
    const Topology topology({2, 3, 2});

    CHECK(topology.layers() == Sizes{2, 3, 2});
    CHECK(topology.num_layers() == 2);
    CHECK(topology.num_features() == 2);
    CHECK(topology.num_classes() == 2);
    CHECK(topology.num_weights() == 17);
    CHECK(topology.input_size(0) == 2);
    CHECK(topology.output_size(0) == 3);
    CHECK(topology.weight_offset(0) == 0);
    CHECK(topology.bias_offset(0) == 6);
    CHECK(topology.input_size(1) == 3);
    CHECK(topology.output_size(1) == 2);
    CHECK(topology.weight_offset(1) == 9);
    CHECK(topology.bias_offset(1) == 15);
  }

  TEST_CASE("counts as many weights as Spark for its example") {
    CHECK(Topology({4, 5, 4, 3}).num_weights() == 64);
    CHECK(Topology({4, 3}).num_weights() == 15);
    CHECK(Topology({1, 1}).num_weights() == 2);
  }

  TEST_CASE("minimises the negative log likelihood unless told otherwise") {
    CHECK(Topology({2, 2}).loss() == Loss::kSoftmaxNll);
    CHECK(Topology({2, 2}, Loss::kSigmoidSquaredError).loss() ==
          Loss::kSigmoidSquaredError);
  }

  TEST_CASE("is equal where sizes and loss are") {
    CHECK(Topology({2, 3, 2}) == Topology({2, 3, 2}));
    CHECK_FALSE(Topology({2, 3, 2}) == Topology({2, 2, 2}));
    CHECK_FALSE(Topology({2, 2}) ==
                Topology({2, 2}, Loss::kSigmoidSquaredError));
  }

  TEST_CASE("rejects layers with fewer than two sizes and says which") {
    CHECK(refusal({}) == "layers must be at least 2 sizes, each > 0; got []");
    CHECK(refusal(Sizes{1}) ==
          "layers must be at least 2 sizes, each > 0; got [1]");
  }

  TEST_CASE("rejects sizes that are not positive and says which") {
    CHECK(refusal({0, 1}) ==
          "layers must be at least 2 sizes, each > 0; got [0, 1]");
    CHECK(refusal({1, 0}) ==
          "layers must be at least 2 sizes, each > 0; got [1, 0]");
    CHECK(refusal({2, -1, 2}) ==
          "layers must be at least 2 sizes, each > 0; got [2, -1, 2]");
  }

  TEST_CASE("accepts 256 layers and rejects more") {
    CHECK(Topology(Sizes(257, 1)).num_layers() == 256);
    CHECK(refusal(Sizes(258, 1)) ==
          "layers must be at most 257 sizes; got 258");
  }

  TEST_CASE("accepts sizes up to 2^20 and rejects larger ones") {
    CHECK(Topology({1048576, 1}).num_weights() == 1048577);
    CHECK(refusal({1048577, 1}) ==
          "layers must be sizes of at most 1048576; got 1048577");
    CHECK(refusal({2, 9223372036854775807}) ==
          "layers must be sizes of at most 1048576; got 9223372036854775807");
  }

  TEST_CASE("accepts up to 2^31 - 1 weights and rejects more") {
    // 2047 * (2^20 + 1)
    CHECK(Topology({1048576, 2047}).num_weights() == 2146437119);
    CHECK(refusal({1048576, 2048}) ==
          "layers [1048576, 2048] need more than 2147483647 "
          "weights, the most supported; use smaller layers");
    CHECK_THROWS_AS(Topology(Sizes(257, 1048576)), ParamError);
  }

  TEST_CASE("rejects weights of other parts that are too many together") {
    const HiddenLayer residual = layer_of(true, false);

    CHECK(Topology({1 << 20, 1025, 1}).num_weights() == 1074792451);
    CHECK(refusal({1 << 20, 1025, 1}, {residual}) ==
          "layers [1048576, 1025, 1] need more than 2147483647 "
          "weights, the most supported; use smaller layers");
  }
}

TEST_SUITE("mlp/topology beyond Spark's") {
  // Layer 0 of 2 inputs and 3 outputs: W at 0, biases at 6, projection at 9,
  // scales at 15, shifts at 18; layer 1 of 3 and 3: W at 21, biases at 30, no
  // projection, scales at 33, shifts at 36; layer 2 of 3 and 1: W at 39, biases
  // at 42.
  TEST_CASE("lays out projection, scales and shifts behind the biases") {
    const HiddenLayer layer = layer_of(true, true);
    const Topology topology({2, 3, 3, 1}, {}, {layer, layer});

    CHECK(topology.projection_offset(0) == 9);
    CHECK(topology.scale_offset(0) == 15);
    CHECK(topology.shift_offset(0) == 18);
    CHECK(topology.layer_end(0) == 21);
    CHECK(topology.bias_offset(1) == 30);
    CHECK(topology.projection_offset(1) == 33);
    CHECK(topology.scale_offset(1) == 33);
    CHECK(topology.shift_offset(1) == 36);
    CHECK(topology.weight_offset(2) == 39);
    CHECK(topology.layer_end(2) == 43);
    CHECK(topology.num_weights() == 43);
  }

  TEST_CASE("counts two statistics per normalised unit, layer after layer") {
    const Topology topology(
        {2, 3, 4, 5, 1}, {},
        {layer_of(false, true), layer_of(true, false), layer_of(false, true)});

    CHECK(topology.num_statistics() == 2 * 3 + 2 * 5);
    CHECK(topology.statistic_offset(0) == 0);
    CHECK(topology.statistic_offset(2) == 6);
    CHECK(Topology({2, 3, 1}).num_statistics() == 0);
  }

  TEST_CASE("projects where sizes differ and only residual layers") {
    const HiddenLayer residual = layer_of(true, false);
    const Topology topology({2, 3, 3, 4}, {}, {residual, residual});

    CHECK(topology.has_projection(0));
    CHECK_FALSE(topology.has_projection(1));
    CHECK(topology.is_residual(1));
    CHECK_FALSE(topology.is_residual(2));
    CHECK_FALSE(topology.has_projection(2));
    CHECK_FALSE(Topology({2, 3, 4}).has_projection(0));
  }

  TEST_CASE("knows hidden layers from the last") {
    const Topology topology({2, 3, 1}, {}, {layer_of(false, true)});

    CHECK(topology.is_hidden(0));
    CHECK_FALSE(topology.is_hidden(1));
    CHECK(topology.has_batch_norm(0));
    CHECK_FALSE(topology.has_batch_norm(1));
    CHECK(topology.hidden(0) == layer_of(false, true));
    CHECK(topology.hidden_layers().size() == 1);
    CHECK(topology.has_hidden(layer_of(false, true)));
    CHECK_FALSE(topology.has_hidden(HiddenLayer()));
  }

  TEST_CASE("tells the networks that Spark has") {
    HiddenLayer dropout;
    dropout.dropout = 0.5;

    CHECK(Topology({2, 3, 1}).is_spark());
    CHECK(Topology({2, 1}, Loss::kSigmoidSquaredError).is_spark());
    CHECK_FALSE(Topology({2, 1}, Loss::kSquaredError).is_spark());
    CHECK_FALSE(Topology({2, 2}, {Loss::kSoftmaxNll, 0.1}).is_spark());
    CHECK_FALSE(Topology({2, 3, 1}, {}, {layer_of(true, false)}).is_spark());
    CHECK_FALSE(Topology({2, 3, 1}, {}, {layer_of(false, true)}).is_spark());
    CHECK_FALSE(Topology({2, 3, 1}, {}, {dropout}).is_spark());
    CHECK_FALSE(
        Topology({2, 3, 1}, {}, {{*Activation::find("relu")}}).is_spark());
  }

  TEST_CASE("has a training mode with batch normalisation and with dropout") {
    HiddenLayer dropout;
    dropout.dropout = 0.5;

    CHECK(Topology({2, 3, 1}, {}, {dropout}).has_training_mode());
    CHECK(Topology({2, 3, 1}, {}, {layer_of(false, true)}).has_training_mode());
    CHECK_FALSE(
        Topology({2, 3, 1}, {}, {layer_of(true, false)}).has_training_mode());
  }

  TEST_CASE("is equal where hidden layers and smoothing are too") {
    CHECK(Topology({2, 3, 1}, {}, {HiddenLayer()}) == Topology({2, 3, 1}));
    CHECK_FALSE(Topology({2, 3, 1}, {}, {layer_of(true, false)}) ==
                Topology({2, 3, 1}));
    CHECK_FALSE(Topology({2, 2}, {Loss::kSoftmaxNll, 0.1}) == Topology({2, 2}));
  }

  TEST_CASE("rejects settings for another number of hidden layers") {
    CHECK(refusal({2, 3, 1}, std::vector<HiddenLayer>(2)) ==
          "layers [2, 3, 1] have 1 hidden layers; got settings for 2");
    CHECK(refusal({2, 1}, std::vector<HiddenLayer>(1)) ==
          "layers [2, 1] have 0 hidden layers; got settings for 1");
  }

  TEST_CASE("rejects a dropout that is no share below 1") {
    HiddenLayer layer;
    layer.dropout = 1.0;
    CHECK(refusal({2, 3, 1}, {layer}) ==
          "dropout must be a number >= 0 and < 1; got 1");
    layer.dropout = -0.5;
    CHECK(refusal({2, 3, 1}, {layer}) ==
          "dropout must be a number >= 0 and < 1; got -0.5");
    layer.dropout = std::numeric_limits<double>::quiet_NaN();
    CHECK(refusal({2, 3, 1}, {layer}) ==
          "dropout must be a number >= 0 and < 1; got NaN");
  }
}

TEST_SUITE("mlp/topology hidden layer") {
  TEST_CASE("is Spark's unless told otherwise") {
    const HiddenLayer layer;

    CHECK(layer.activation == *Activation::find("sigmoid"));
    CHECK_FALSE(layer.is_residual);
    CHECK_FALSE(layer.has_batch_norm);
    CHECK(layer.dropout == 0.0);
  }

  TEST_CASE("differs where one part does") {
    const HiddenLayer spark;

    CHECK(spark == HiddenLayer{});
    CHECK(spark != HiddenLayer{*Activation::find("relu")});
    CHECK(spark != HiddenLayer{Activation(), true});
    CHECK(spark != HiddenLayer{Activation(), false, true});
    CHECK(spark != HiddenLayer{Activation(), false, false, 0.5});
  }
}

}  // namespace mlp
