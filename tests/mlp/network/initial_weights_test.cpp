// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/initial_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace mlp {

namespace {

// A few roundings of numbers near 1, in sums of up to 100.
constexpr double kRounding = 1e-13;

// The variance of 20,000 numbers has a relative deviation of sqrt(2 / 20000) =
// 0.01 where they are normal, and less where they are uniform; six of them.
constexpr double kVarianceTolerance = 0.06;

constexpr Initialization kAll[] = {
    Initialization::kSpark,        Initialization::kXavierUniform,
    Initialization::kXavierNormal, Initialization::kHeUniform,
    Initialization::kHeNormal,     Initialization::kLecunUniform,
    Initialization::kLecunNormal,  Initialization::kOrthogonal};

Vector draw(const Topology& topology, Initialization initialization,
            std::int64_t seed = 1) {
  return draw_initial_weights(topology, seed, SeedHash::kSpark3,
                              initialization);
}

/// Every layer residual with a projection, and normalised.
Topology rich_topology() {
  HiddenLayer layer;
  layer.is_residual = true;
  layer.has_batch_norm = true;
  return Topology({3, 5, 4, 2}, {}, {layer, layer});
}

/// The weights of the only layer, 200 inputs and 100 outputs.
Matrix draw_wide(Initialization initialization) {
  const Topology topology({200, 100});
  const Vector weights = draw(topology, initialization);
  return view_layer(topology, 0, weights.data()).weights;
}

/// The mean square, the mean being 0 within its own deviation.
double variance_of(const Matrix& weights) {
  return weights.squaredNorm() / static_cast<double>(weights.size());
}

bool is_orthonormal(const Matrix& columns) {
  const Matrix product = columns.transpose() * columns;
  return (product - Matrix::Identity(product.rows(), product.cols())).norm() <
         kRounding;
}

}  // namespace

TEST_SUITE("mlp/network/initial_weights") {
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

  TEST_CASE("draws Spark's numbers for a projection behind the biases too") {
    HiddenLayer residual;
    residual.is_residual = true;
    const Topology topology({2, 3, 2}, {}, {residual});
    const Vector stream = draw_initial_weights(Topology({2, 5}), 123);

    const Vector weights = draw_initial_weights(topology, 123);

    CHECK(weights.head(15) == stream);
  }
}

TEST_SUITE("mlp/initial_weights beyond Spark's") {
  // n = 200 inputs and m = 100 outputs: 2 / (n + m) = 1 / 150, 2 / n = 1 / 100,
  // 1 / n = 1 / 200; an orthonormal column of 200 has the variance 1 / 200.
  // Spark's are uniform in +-2.4 / sqrt(n): 2.4^2 / 3 n = 0.0096.
  TEST_CASE("draws weights of the variance that each name stands for") {
    const std::pair<Initialization, double> expected[] = {
        {Initialization::kSpark, 0.0096},
        {Initialization::kXavierUniform, 1.0 / 150.0},
        {Initialization::kXavierNormal, 1.0 / 150.0},
        {Initialization::kHeUniform, 1.0 / 100.0},
        {Initialization::kHeNormal, 1.0 / 100.0},
        {Initialization::kLecunUniform, 1.0 / 200.0},
        {Initialization::kLecunNormal, 1.0 / 200.0},
        {Initialization::kOrthogonal, 1.0 / 200.0}};
    for (const auto& known : expected) {
      CAPTURE(std::string(initialization_name(known.first)));
      const double ratio = variance_of(draw_wide(known.first)) / known.second;
      CHECK(std::abs(ratio - 1.0) < kVarianceTolerance);
    }
  }

  // sqrt(6 / 300), sqrt(6 / 200) and sqrt(3 / 200); 20,000 draws come within a
  // hundredth of the bound.
  TEST_CASE("keeps uniform weights within their bound and fills it") {
    const std::pair<Initialization, double> expected[] = {
        {Initialization::kXavierUniform, std::sqrt(0.02)},
        {Initialization::kHeUniform, std::sqrt(0.03)},
        {Initialization::kLecunUniform, std::sqrt(0.015)}};
    for (const auto& known : expected) {
      const Matrix weights = draw_wide(known.first);
      CAPTURE(std::string(initialization_name(known.first)));
      CHECK(weights.maxCoeff() <= known.second);
      CHECK(weights.minCoeff() >= -known.second);
      CHECK(weights.maxCoeff() > 0.99 * known.second);
      CHECK(weights.minCoeff() < -0.99 * known.second);
    }
  }

  TEST_CASE("lets normal weights leave the bound of uniform ones") {
    CHECK(draw_wide(Initialization::kHeNormal).maxCoeff() > std::sqrt(0.03));
    CHECK(draw_wide(Initialization::kXavierNormal).minCoeff() <
          -std::sqrt(0.02));
  }

  TEST_CASE("makes the shorter sides of a layer orthonormal") {
    const Topology topology({7, 3, 6, 6});
    const Vector weights = draw(topology, Initialization::kOrthogonal);

    CHECK(is_orthonormal(
        view_layer(topology, 0, weights.data()).weights.transpose()));
    CHECK(is_orthonormal(view_layer(topology, 1, weights.data()).weights));
    CHECK(is_orthonormal(view_layer(topology, 2, weights.data()).weights));
  }

  // A QR decomposition gives R a diagonal of one sign; without that being undone
  // the first number of Q would always have the other.
  TEST_CASE("draws orthogonal weights of either sign") {
    int num_positive = 0;
    for (std::int64_t seed = 0; seed < 64; ++seed) {
      const Vector weights =
          draw(Topology({3, 3}), Initialization::kOrthogonal, seed);
      num_positive += weights[0] > 0.0;
    }

    CHECK(num_positive > 8);
    CHECK(num_positive < 56);
  }

  TEST_CASE("sets biases to 0 but for Spark's") {
    const Topology topology = rich_topology();
    for (const Initialization initialization : kAll) {
      const Vector weights = draw(topology, initialization);
      CAPTURE(std::string(initialization_name(initialization)));
      for (Index k = 0; k < topology.num_layers(); ++k) {
        const auto biases = view_layer(topology, k, weights.data()).biases;
        const bool is_spark = initialization == Initialization::kSpark;
        CHECK(biases.isZero(0.0) == !is_spark);
      }
    }
  }

  TEST_CASE("sets scales to 1 and shifts to 0 and draws projections") {
    const Topology topology = rich_topology();
    for (const Initialization initialization : kAll) {
      const Vector weights = draw(topology, initialization);
      CAPTURE(std::string(initialization_name(initialization)));
      for (const Index k : {0, 1}) {
        const auto layer = view_layer(topology, k, weights.data());
        CHECK(layer.scales == Vector::Ones(layer.scales.size()));
        CHECK(layer.shifts == Vector::Zero(layer.shifts.size()));
        CHECK((layer.projection.array() != 0.0).all());
        CHECK(layer.projection != layer.weights);
      }
    }
  }

  TEST_CASE("repeats its weights from the seed alone") {
    const Topology topology = rich_topology();
    for (const Initialization initialization : kAll) {
      CAPTURE(std::string(initialization_name(initialization)));
      CHECK(draw(topology, initialization, 4) ==
            draw(topology, initialization, 4));
      CHECK(draw(topology, initialization, 4) !=
            draw(topology, initialization, 5));
    }
  }

  TEST_CASE("draws one layer as the whole network where the stream is there") {
    const Topology topology = rich_topology();
    Vector weights = Vector::Constant(topology.num_weights(), 7.0);
    SparkRandom random(4);

    for (const Index k : {0, 1, 2}) {
      draw_initial_layer(topology, k, Initialization::kHeNormal, random,
                         weights);
    }

    CHECK(weights == draw(topology, Initialization::kHeNormal, 4));
  }
}

}  // namespace mlp
