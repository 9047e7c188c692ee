// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/topology.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../core/error.hpp"

namespace mlp {

namespace {

using Sizes = std::vector<Index>;

}  // namespace

TEST_SUITE("mlp/topology") {
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
    CHECK_THROWS_WITH_AS(Topology({}),
                         "layers must be at least 2 sizes, each > 0; got []",
                         ParamError);
    CHECK_THROWS_WITH_AS(Topology(Sizes{1}),
                         "layers must be at least 2 sizes, each > 0; got [1]",
                         ParamError);
  }

  TEST_CASE("rejects sizes that are not positive and says which") {
    CHECK_THROWS_WITH_AS(
        Topology({0, 1}),
        "layers must be at least 2 sizes, each > 0; got [0, 1]", ParamError);
    CHECK_THROWS_WITH_AS(
        Topology({1, 0}),
        "layers must be at least 2 sizes, each > 0; got [1, 0]", ParamError);
    CHECK_THROWS_WITH_AS(
        Topology({2, -1, 2}),
        "layers must be at least 2 sizes, each > 0; got [2, -1, 2]",
        ParamError);
  }

  TEST_CASE("accepts 256 layers and rejects more") {
    CHECK(Topology(Sizes(257, 1)).num_layers() == 256);
    CHECK_THROWS_WITH_AS(Topology(Sizes(258, 1)),
                         "layers must be at most 257 sizes; got 258",
                         ParamError);
  }

  TEST_CASE("accepts sizes up to 2^20 and rejects larger ones") {
    CHECK(Topology({1048576, 1}).num_weights() == 1048577);
    CHECK_THROWS_WITH_AS(Topology({1048577, 1}),
                         "layers must be sizes of at most 1048576; got 1048577",
                         ParamError);
    CHECK_THROWS_WITH_AS(
        Topology({2, 9223372036854775807}),
        "layers must be sizes of at most 1048576; got 9223372036854775807",
        ParamError);
  }

  TEST_CASE("accepts up to 2^31 - 1 weights and rejects more") {
    // 2047 * (2^20 + 1)
    CHECK(Topology({1048576, 2047}).num_weights() == 2146437119);
    CHECK_THROWS_WITH_AS(Topology({1048576, 2048}),
                         "layers [1048576, 2048] need more than 2147483647 "
                         "weights, the most supported; use smaller layers",
                         ParamError);
    CHECK_THROWS_AS(Topology(Sizes(257, 1048576)), ParamError);
  }
}

}  // namespace mlp
