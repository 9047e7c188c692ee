// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/spark_weights.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../thrown_message.hpp"
#include "../random_instances.hpp"

namespace mlp {

namespace {

// Of two layers, whose sums have another order.
constexpr double kFoldTolerance = 1e-12;

const std::string kRefusal =
    "model: Spark's MultilayerPerceptronClassificationModel cannot express "
    "this "
    "model: ";

/// A network of sigmoids with batch normalisation and a scaler.
Model scaled_model() {
  HiddenLayer hidden;
  hidden.has_batch_norm = true;
  const Topology topology({3, 4, 2}, {}, {hidden});
  Model model(topology, draw_initial_weights(topology, 7));
  model.set_statistics(Vector::LinSpaced(topology.num_statistics(), 0.1, 3.0));
  model.set_scaler({Vector{{0.5, -1.0, 3.0}}, Vector{{2.0, 0.5, 0.0}}});
  return model;
}

Model with_hidden(const HiddenLayer& hidden) {
  const Topology topology({2, 2, 2}, {}, {hidden});
  return {topology, draw_initial_weights(topology, 1)};
}

std::string refusal_of(const Model& model) {
  return test::thrown_message<ModelError>([&] { return spark_weights(model); });
}

}  // namespace

TEST_SUITE("mlp/model/spark_weights") {
  TEST_CASE("leaves the weights of Spark's network as they are") {
    const Topology topology({4, 5, 3});
    const Model model(topology, draw_initial_weights(topology, 1));

    CHECK(spark_weights(model) == model.weights());
    CHECK(count_spark_weights(model) == 4 * 5 + 5 + 5 * 3 + 3);
  }

  TEST_CASE("has the scaler and batch normalisation in the weights") {
    const Model model = scaled_model();
    const Matrix features =
        testing::draw_instances(model.topology(), 20).features;

    const Vector weights = spark_weights(model);

    REQUIRE(weights.size() == count_spark_weights(model));
    const Model plain(Topology({3, 4, 2}), weights);
    const Matrix expected = model.predict_raw(features);
    const Matrix got = plain.predict_raw(features);
    CHECK((got - expected).cwiseAbs().maxCoeff() < kFoldTolerance);
    // The last feature is constant in the training, and has no weight.
    CHECK(weights.segment(8, 4) == Vector::Zero(4));
  }

  TEST_CASE("refuses a network that Spark's model cannot express") {
    HiddenLayer relu;
    relu.activation = *Activation::find("relu");
    HiddenLayer residual;
    residual.is_residual = true;
    const std::string in_spark =
        "score the model file in Spark with mlp.spark or the jar";

    CHECK(refusal_of(with_hidden(relu)) ==
          kRefusal +
              "its hidden layers have the activation relu; train with "
              "activation sigmoid, or " +
              in_spark);
    CHECK(refusal_of(with_hidden(residual)) ==
          kRefusal +
              "it has residual connections; train with no residual "
              "connections, or " +
              in_spark);
    CHECK(
        refusal_of({Topology({1, 1}, Loss::kSquaredError), Vector::Ones(2)}) ==
        kRefusal + "it predicts numbers, and Spark's model predicts classes; " +
            in_spark);
  }

  TEST_CASE("refuses quantile bins with advice of their own") {
    Model model(Topology({2, 2}), Vector::Ones(6));
    model.set_encoder({2, {{0.5, 1.5}}});

    CHECK(refusal_of(model) ==
          kRefusal +
              "it encodes numbers in quantile bins; train with "
              "numericEncoding linear, or score the model file in Spark "
              "with mlp.spark or the jar");
  }

  TEST_CASE("refuses weights that overflow with the scaler in them") {
    Model model(Topology({1, 2}), Vector::Ones(4));
    model.set_scaler({Vector{{0.0}}, Vector{{1e-310}}});

    CHECK(
        refusal_of(model) ==
        "model: the weights overflow when the scaler and batch normalisation "
        "become a part of them; the deviations of the features are too small");
  }
}

}  // namespace mlp
