// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/feature_store.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/types.hpp"

namespace mlp {

namespace {

Matrix plus_one(const Matrix& rows) { return rows.array() + 1.0; }

/// A copy that adds 1 to each number, so that it can be told from the rows.
class CopyPlusOne final : public PackedFeatures {
 public:
  explicit CopyPlusOne(Matrix rows) : rows_(std::move(rows)) {}

  void read(Index first, Index count, double* features) const override {
    Eigen::Map<Matrix>(features, rows_.rows(), count) =
        plus_one(rows_.middleCols(first, count));
  }

 private:
  Matrix rows_;
};

Matrix count_up(Index num_features, Index num_instances) {
  Matrix rows(num_features, num_instances);
  for (Index i = 0; i < rows.size(); ++i) {
    rows.data()[i] = static_cast<double>(i);
  }
  return rows;
}

}  // namespace

TEST_SUITE("mlp/instances/feature_store") {
  TEST_CASE("reads slices of rows") {
    Matrix rows = count_up(3, 5);
    const FeatureStore store(rows);
    Matrix slice(3, 2);

    store.read(2, 2, slice.data());

    CHECK(slice == count_up(3, 5).middleCols(2, 2));
    CHECK(store.rows() == rows.data());
  }

  TEST_CASE("reads slices of a copy that replaced the rows") {
    Matrix rows = count_up(3, 5);
    FeatureStore store(rows);
    store.replace_rows(std::make_shared<CopyPlusOne>(rows));
    Matrix slice(3, 2);

    store.read(2, 2, slice.data());

    CHECK(slice == plus_one(count_up(3, 5).middleCols(2, 2)));
    CHECK(store.rows() == nullptr);
    CHECK(rows.size() == 0);
    CHECK(store.num_features() == 3);
    CHECK(store.num_instances() == 5);
  }

  TEST_CASE("makes rows of a copy again") {
    Matrix rows = count_up(3, 5);
    FeatureStore store(rows);
    store.replace_rows(std::make_shared<CopyPlusOne>(rows));

    store.restore_rows();

    CHECK(rows == plus_one(count_up(3, 5)));
    CHECK(store.rows() == rows.data());
  }

  TEST_CASE("releases rows from the last to the first, in large steps") {
    constexpr Index kNumInstances = 1 << 16;
    Matrix rows = count_up(17, kNumInstances);  // 8.9 MB
    FeatureStore store(rows);

    store.release_from(kNumInstances - 1);
    CHECK(rows.cols() == kNumInstances);
    store.release_from(kNumInstances / 2);
    CHECK(rows == count_up(17, kNumInstances / 2));
    store.release_from(0);
    CHECK(rows.cols() == 0);
  }

  TEST_CASE("says that rows were lost if no copy replaced them") {
    Matrix rows = count_up(3, 5);
    FeatureStore store(rows);

    store.release_from(0);

    CHECK_THROWS_WITH_AS(store.rows(),
                         "the features of 5 instances were lost when a fit ran "
                         "out of memory; read them again",
                         ResourceError);
  }
}

}  // namespace mlp
