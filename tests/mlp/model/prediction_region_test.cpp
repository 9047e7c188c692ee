// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/prediction_region.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

Model make_model(std::vector<Index> layers, Loss loss) {
  const Topology topology(std::move(layers), LossFunction(loss));
  return {topology, Vector::Zero(topology.num_weights())};
}

}  // namespace

TEST_SUITE("mlp/model/prediction_region") {
  TEST_CASE("a set has the probable classes, the most probable one first") {
    const PredictionSet set{0.9, 0.2};

    CHECK(set.classes(Vector{{0.2, 0.1, 0.7}}) == std::vector<Index>{2, 0});
    CHECK(set.classes(Vector{{0.5, 0.5, 0.0}}) == std::vector<Index>{0, 1});
  }

  TEST_CASE("a set is never empty") {
    const PredictionSet set{0.5, 0.8};

    CHECK(set.classes(Vector{{0.3, 0.4, 0.3}}) == std::vector<Index>{1});
  }

  TEST_CASE("a model refuses regions of another kind or shape") {
    Model classes = make_model({1, 2}, Loss::kSoftmaxNll);
    Model numbers = make_model({1, 2}, Loss::kSquaredError);
    const PredictionInterval one{0.9, Vector{{-1.0}}, Vector{{1.0}}};

    CHECK(test::thrown_message<ShapeError>([&] {
            numbers.set_prediction_interval(one);
          }) == "numbers of a prediction interval must be 2; got 1");
    CHECK(test::thrown_message<ShapeError>([&] {
            classes.set_prediction_interval(one);
          }) == "numbers of a prediction interval must be 0; got 1");
    CHECK(test::thrown_message<ShapeError>([&] {
            numbers.set_prediction_set({});
          }) == "prediction sets of a regressor must be 0; got 1");
  }

  TEST_CASE("another network has no intervals and sets of this one") {
    Model classes = make_model({1, 2}, Loss::kSoftmaxNll);
    classes.set_prediction_set({0.9, 0.2});

    const Model other =
        classes.with_network(classes.topology(), classes.weights());

    CHECK(classes.prediction_set()->least_probability == 0.2);
    CHECK_FALSE(other.prediction_set().has_value());
  }
}

}  // namespace mlp
