// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/instance_weights.hpp"

#include <doctest/doctest.h>

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

  TEST_CASE("rejects weights of which nothing is left") {
    datasets::Dataset data = testing::make_xor();
    data.source = "xor.csv";
    data.weights = vector_of({1, 0, 0, 1});
    Params params;
    params.class_weights = {0.0, 1.0};

    CHECK_THROWS_WITH_AS(
        check_weight_sum(instance_weights(data, kXorLabels, params),
                         data.source),
        "xor.csv: instance weights times class weights must have a sum > 0; "
        "every instance has weight 0",
        DataError);
  }
}

}  // namespace mlp
