// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/initial_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp {

TEST_SUITE("mlp/initial_weights") {
  TEST_CASE("draws the weights of Spark 3 for its own test to the last bit") {
    Vector expected(12);
    expected << -1.160946702561173, 0.505000787625046, 1.5373067685657458,
        -0.6420459004292237, -1.0780893151888158, -0.19661861230624025,
        1.4634145827329261, 0.17717683544712765, 0.1056139348376191,
        0.6901617736588427, -0.35733446259521856, -0.23830150074765347;

    CHECK(draw_initial_weights(Topology({2, 2, 2}), 123) == expected);
  }

  TEST_CASE("goes on with one stream from layer to layer as Spark does") {
    const Vector weights = draw_initial_weights(Topology({4, 5, 4, 3}), 1234);

    REQUIRE(weights.size() == 64);
    CHECK(weights[0] == 0.5162504265419663);
    CHECK(weights[1] == 0.8002556688523847);
    CHECK(weights[2] == -0.6974480322067332);
    CHECK(weights[3] == -0.6354141721002867);
    CHECK(weights[25] == 0.8518369994679451);
    CHECK(weights[26] == 0.8917156548398392);
    CHECK(weights[27] == 0.7521864621874966);
    CHECK(weights[49] == -0.6308681983632639);
    CHECK(weights[50] == -1.0854163042637048);
    CHECK(weights[51] == 0.08882474198262669);
    CHECK(weights[63] == 1.0260944837301673);
  }

  // The stream of Spark 2 for seed 123 starts with 0.5029534413816527 and
  // 0.9867496419260051.
  TEST_CASE("draws from the stream of Spark 2 where asked to") {
    const Vector weights =
        draw_initial_weights(Topology({4, 3}), 123, SeedHash::kSpark2);

    CHECK(weights[0] == (0.5029534413816527 * 4.8 - 2.4) / 2.0);
    CHECK(weights[1] == (0.9867496419260051 * 4.8 - 2.4) / 2.0);
  }

  TEST_CASE("stays within 2.4 over the root of the number of inputs") {
    const Topology topology({100, 9, 4});

    const Vector weights = draw_initial_weights(topology, -1);

    const Index second = topology.weight_offset(1);
    CHECK(weights.head(second).cwiseAbs().maxCoeff() <= 0.24);
    CHECK(weights.tail(weights.size() - second).cwiseAbs().maxCoeff() <= 0.8);
    CHECK(weights.head(second).cwiseAbs().maxCoeff() > 0.22);
  }

  TEST_CASE("gives other weights for seeds at both ends of int64") {
    const Topology topology({2, 2});
    const Vector least = draw_initial_weights(
        topology, std::numeric_limits<std::int64_t>::min());
    const Vector largest = draw_initial_weights(
        topology, std::numeric_limits<std::int64_t>::max());

    CHECK(least != largest);
    CHECK(least == draw_initial_weights(
                       topology, std::numeric_limits<std::int64_t>::min()));
  }
}

}  // namespace mlp
