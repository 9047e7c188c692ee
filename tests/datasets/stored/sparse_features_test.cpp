// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/sparse_features.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

#include "../../../datasets/stored/stored_features.hpp"

namespace mlp::datasets {

namespace {

/// [[0, 2, 0], [0, 0, 0], [5, 0, 3 + 4]]
SparseRows small_rows() {
  return {{0, 1, 1, 4}, {1, 2, 0, 2}, {2.0, 3.0, 5.0, 4.0}};
}

TEST_SUITE("datasets/stored/sparse_features") {
  TEST_CASE("reads rows with their zeros, and adds numbers of the same place") {
    const SparseFeatures source(small_rows(), 3);
    Matrix all = Matrix::Constant(3, 3, -1.0);
    Matrix last = Matrix::Constant(3, 1, -1.0);

    source.read(0, 3, all.data());
    source.read(2, 1, last.data());

    CHECK(all == Matrix{{0, 0, 5}, {2, 0, 0}, {0, 0, 7}});
    CHECK(last == all.col(2));
    CHECK(source.num_features() == 3);
    CHECK(source.num_instances() == 3);
  }

  TEST_CASE("stored features select its rows, and copy them to no file") {
    const StoredFeatures stored(
        std::make_shared<const SparseFeatures>(small_rows(), 3));
    Matrix some(3, 2);

    stored.select({2, 0}).in_order().read(0, 2, some.data());

    CHECK(some == Matrix{{5, 0}, {0, 2}, {7, 0}});
    CHECK_FALSE(stored.is_in_file());
  }

  TEST_CASE("refuses rows that do not fit together") {
    const auto refused = [](SparseRows rows) {
      CHECK_THROWS_AS(SparseFeatures(std::move(rows), 3), ShapeError);
    };
    refused({});
    refused({{0, 2, 1, 4}, {1, 2, 0, 2}, {2, 3, 5, 4}});
    refused({{0, 1, 1, 3}, {1, 2, 0, 2}, {2, 3, 5, 4}});
    refused({{0, 1}, {}, {2}});
    refused({{0, 1}, {3}, {2}});
    refused({{0, 1}, {-1}, {2}});
  }

  TEST_CASE("refuses numbers that are not finite, and names their place") {
    SparseRows rows = small_rows();
    rows.numbers[3] = std::numeric_limits<double>::quiet_NaN();

    CHECK_THROWS_WITH_AS(
        SparseFeatures(rows, 3),
        "features must be finite, without NaN and inf; feature 2 of row 2 is "
        "NaN; replace the number, or leave the row out",
        DataError);
  }
}

}  // namespace

}  // namespace mlp::datasets
