// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/instance_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../spark_problems.hpp"

namespace mlp {

namespace {

const std::vector<std::int32_t> kXorLabels{0, 1, 1, 0};

Vector vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(),
                                  static_cast<Index>(numbers.size()));
}

}  // namespace

TEST_SUITE("mlp/instances/instance_weights") {
  TEST_CASE("gives none where neither the data nor the classes weigh") {
    CHECK(instance_weights(testing::make_xor(), kXorLabels, {}).size() == 0);
  }

  TEST_CASE("multiplies the data's weights with those of the classes") {
    datasets::Dataset data = testing::make_xor();
    Params params;

    params.class_weights = {1.0, 3.0};
    CHECK(instance_weights(data, kXorLabels, params) ==
          vector_of({1, 3, 3, 1}));
    data.weights = vector_of({1, 2, 0, 4});
    CHECK(instance_weights(data, kXorLabels, params) ==
          vector_of({1, 6, 0, 4}));
    CHECK(instance_weights(data, kXorLabels, {}) == data.weights);
  }

  TEST_CASE("rejects weights that are negative or not finite, by their row") {
    datasets::Dataset data = testing::make_xor();

    data.weights = vector_of({1, 0, -2, 1});
    CHECK_THROWS_WITH_AS(
        check_instance_weights(data),
        "weights must be finite and >= 0; instance 2 has weight -2", DataError);
    data.weights[2] = std::nan("");
    CHECK_THROWS_WITH_AS(
        check_instance_weights(data),
        "weights must be finite and >= 0; instance 2 has weight NaN",
        DataError);
    data.source = "xor.csv";
    data.lines = {2, 3, 5, 6};
    data.weights[2] = HUGE_VAL;
    CHECK_THROWS_WITH_AS(check_instance_weights(data),
                         "xor.csv:5: weights must be finite and >= 0; instance "
                         "2 has weight Infinity",
                         DataError);
  }

  TEST_CASE("rejects another number of weights than of instances") {
    datasets::Dataset data = testing::make_xor();
    data.weights = vector_of({1, 1, 1});

    CHECK_THROWS_WITH_AS(check_instance_weights(data),
                         "weights must be 4, one per instance; got 3",
                         ShapeError);
  }

  TEST_CASE("rejects weights whose sum is not finite") {
    CHECK_NOTHROW(check_weight_sum(1e308, ""));
    CHECK_THROWS_WITH_AS(check_weight_sum(HUGE_VAL, ""),
                         "instance weights times class weights must have a "
                         "finite sum > 0; got Infinity",
                         DataError);
  }

  TEST_CASE("rejects weights of which nothing is left") {
    datasets::Dataset data = testing::make_xor();
    data.source = "xor.csv";
    data.weights = vector_of({1, 0, 0, 1});
    Params params;
    params.class_weights = {0.0, 1.0};

    CHECK_THROWS_WITH_AS(
        check_weight_sum(instance_weights(data, kXorLabels, params).sum(),
                         data.source),
        "xor.csv: instance weights times class weights must have a finite sum "
        "> 0; they are all zero",
        DataError);
  }
}

}  // namespace mlp
