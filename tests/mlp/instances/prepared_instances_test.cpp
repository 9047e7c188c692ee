// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/prepared_instances.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../../thrown_message.hpp"
#include "../spark_problems.hpp"

namespace mlp {

namespace {

using testing::make_xor;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Topology kClassifier({2, 3, 2});
const Topology kRegressor({2, 3, 1}, Loss::kSquaredError);

template <typename Exception>
std::string refusal(const datasets::Dataset& data, const Topology& topology) {
  return test::thrown_message<Exception>(
      [&] { const PreparedInstances instances(data, topology, {}); });
}

}  // namespace

TEST_SUITE("mlp/instances/prepared_instances") {
  TEST_CASE("shows classes to a classifier") {
    const datasets::Dataset data = make_xor();

    const PreparedInstances instances(data, kClassifier, {});

    CHECK(instances.range().size == 4);
    CHECK(instances.range().features == data.features.data());
    CHECK(std::vector<std::int32_t>(instances.range().labels,
                                    instances.range().labels + 4) ==
          std::vector<std::int32_t>{0, 1, 1, 0});
    CHECK(instances.range().targets == nullptr);
    CHECK(instances.range().weights == nullptr);
    CHECK(instances.weights().size() == 0);
  }

  TEST_CASE("shows numbers to a regressor") {
    datasets::Dataset data = make_xor();
    data.labels[1] = -2.5;

    const PreparedInstances instances(data, kRegressor, {});

    CHECK(instances.range().labels == nullptr);
    CHECK(Eigen::Map<const Vector>(instances.range().targets, 4) ==
          data.labels);
  }

  TEST_CASE("shows what the instances count") {
    datasets::Dataset data = make_xor();
    data.weights = Vector::LinSpaced(4, 1.0, 4.0);

    const PreparedInstances instances(data, kClassifier, {});

    CHECK(instances.weights() == data.weights);
    CHECK(instances.range().weights == instances.weights().data());
  }

  TEST_CASE("rejects a number that a regressor cannot learn") {
    datasets::Dataset data = make_xor();
    data.labels[2] = kNaN;

    CHECK(refusal<DataError>(data, kRegressor) ==
          "labels must be finite numbers; instance 2 has label "
          "NaN");
  }

  TEST_CASE("rejects a label that is no class") {
    datasets::Dataset data = make_xor();
    data.labels[2] = 0.5;

    CHECK(refusal<DataError>(data, kClassifier) ==
          "labels must be the integers 0..1 for layers [2, 3, "
          "2]; instance 2 has label 0.5");
  }

  TEST_CASE("rejects a feature that is not finite and says which") {
    datasets::Dataset data = make_xor();
    data.features(1, 3) = kNaN;

    CHECK(refusal<DataError>(data, kClassifier) ==
          "features must be finite; feature 1 of instance 3 is NaN");
  }

  TEST_CASE("names file and line where the data know them") {
    datasets::Dataset data = make_xor();
    data.source = "xor.csv";
    data.lines = {2, 3, 5, 6};
    data.labels[2] = 7.0;
    CHECK(refusal<DataError>(data, kClassifier) ==
          "xor.csv:5: labels must be the integers 0..1 for "
          "layers [2, 3, 2]; instance 2 has label 7");
    data.features(1, 3) = kNaN;
    CHECK(refusal<DataError>(data, kClassifier) ==
          "xor.csv:6: features must be finite; feature 1 of "
          "instance 3 is NaN");
  }

  TEST_CASE("names the file of the labels where that is one of their own") {
    datasets::Dataset data = make_xor();
    data.source = "x.npy";
    data.label_source = "y.npy";
    data.labels[2] = 7.0;
    CHECK(refusal<DataError>(data, kClassifier) ==
          "y.npy: labels must be the integers 0..1 for layers "
          "[2, 3, 2]; instance 2 has label 7");
    data.label_source.clear();
    CHECK(refusal<DataError>(data, kClassifier) ==
          "x.npy: labels must be the integers 0..1 for layers "
          "[2, 3, 2]; instance 2 has label 7");
  }

  TEST_CASE("rejects data without instances and of another width") {
    datasets::Dataset data = make_xor();
    const Topology wide({3, 2});

    CHECK(refusal<DataError>({}, kClassifier) ==
          "training needs at least 1 instance; got 0");
    CHECK(refusal<ShapeError>(data, wide) ==
          "instances must have 3 features for layers [3, 2]; got 2");
    data.labels.conservativeResize(3);
    CHECK(refusal<ShapeError>(data, kClassifier) ==
          "labels must be 4, one per instance; got 3");
  }
}

}  // namespace mlp
