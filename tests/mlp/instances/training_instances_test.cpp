// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/training_instances.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"

namespace mlp {

namespace {

datasets::Dataset make_data() {
  datasets::Dataset data;
  data.features = Matrix::Random(3, 5);
  data.labels = Vector::Zero(5);
  data.source = "data.csv";
  return data;
}

}  // namespace

TEST_SUITE("mlp/instances/training_instances") {
  TEST_CASE("returns the rows of the caller in place") {
    const datasets::Dataset data = make_data();
    TrainingInstances instances = TrainingInstances::view(data);
    Matrix buffer;

    const auto rows = instances.rows(1, 3, buffer);

    CHECK(rows.data() == data.features.col(1).data());
    CHECK(rows == data.features.middleCols(1, 3));
    CHECK(instances.store() == nullptr);
    CHECK(&instances.data() == &data);
  }

  TEST_CASE("owns data that it takes") {
    datasets::Dataset data = make_data();
    const Matrix features = data.features;
    TrainingInstances instances(std::move(data));
    Matrix buffer;

    CHECK(instances.rows(0, 5, buffer) == features);
    CHECK(instances.store() != nullptr);
    CHECK(instances.num_instances() == 5);
    CHECK(instances.data().source == "data.csv");
  }

  TEST_CASE("does not own features that the data borrow") {
    const datasets::Dataset owner = make_data();
    datasets::Dataset data = owner;
    data.features.resize(0, 0);
    data.borrowed = {owner.features.data(), 3, 5};
    TrainingInstances instances(std::move(data));
    Matrix buffer;

    CHECK(instances.store() == nullptr);
    CHECK(instances.rows(0, 5, buffer).data() == owner.features.data());
  }

  TEST_CASE("reads rows of a copy into a buffer") {
    struct Ones final : PackedFeatures {
      void read(Index, Index count, double* features) const override {
        Eigen::Map<Matrix>(features, 3, count).setOnes();
      }
    };
    TrainingInstances instances(make_data());
    instances.store()->replace_rows(std::make_shared<Ones>());
    Matrix buffer;

    const auto rows = instances.rows(4, 1, buffer);

    CHECK(rows == Matrix::Ones(3, 1));
    CHECK(rows.data() == buffer.data());
    CHECK(instances.num_instances() == 5);
  }
}

}  // namespace mlp
