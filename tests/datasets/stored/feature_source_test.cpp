// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/feature_source.hpp"

#include <doctest/doctest.h>

#include "../../../datasets/dataset.hpp"
#include "../../../datasets/standard_scaler.hpp"

namespace mlp::datasets {

TEST_SUITE("datasets/stored/feature_source") {
  TEST_CASE("reads features of the caller") {
    const Matrix features{{1, 2, 3}, {4, 5, 6}};
    const BorrowedFeatures source({features.data(), 2, 3});
    Matrix some(2, 2);

    source.read(1, 2, some.data());

    CHECK(some == features.rightCols(2));
    CHECK(source.num_features() == 2);
    CHECK(source.num_instances() == 3);
  }

  TEST_CASE("a dataset scales them as they are read") {
    const Matrix features{{1, 2, 3}, {4, 5, 9}};
    Dataset data;
    data.borrowed = {features.data(), 2, 3};
    Dataset copied = data;
    const StandardScaler scaler = StandardScaler::fit(data);
    data.store_borrowed();
    scaler.apply(data, 2);
    scaler.apply(copied, 2);

    CHECK(data.features.size() == 0);
    CHECK(data.first_features(3) == copied.features);
  }
}

}  // namespace mlp::datasets
