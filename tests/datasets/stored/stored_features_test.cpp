// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/stored_features.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "../../../datasets/stored/feature_file.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::datasets {

namespace {

/// Ten instances of 0, 1, 2; 3, 4, 5; ...
Matrix count_up() {
  Matrix features(3, 10);
  for (Index i = 0; i < features.size(); ++i) {
    features.data()[i] = static_cast<double>(i);
  }
  return features;
}

StoredFeatures make_stored(const test::ScratchFolder& folder) {
  const auto file =
      std::make_shared<FeatureFile>(folder.path(), 3, StoredNumber::kFloat64);
  file->append(count_up().data(), 10);
  return StoredFeatures(file);
}

Matrix read(const StoredFeatures& stored, Index first, Index count) {
  Matrix features(stored.num_features(), count);
  stored.read(first, count, features.data());
  return features;
}

/// A step that adds the first feature once more, and multiplies all by 10.
FeatureStep widen() {
  return {4, [](const Matrix& from, Eigen::Ref<Matrix> to) {
            to.topRows(3) = 10.0 * from;
            to.row(3) = 10.0 * from.row(0);
          }};
}

}  // namespace

TEST_SUITE("datasets/stored/stored_features") {
  TEST_CASE("reads consecutive instances") {
    const test::ScratchFolder folder;
    const StoredFeatures stored = make_stored(folder);

    CHECK(stored.num_instances() == 10);
    CHECK(read(stored, 2, 5) == count_up().middleCols(2, 5));
    CHECK(read(stored, 9, 1) == count_up().rightCols(1));
  }

  TEST_CASE("reads chosen instances in their order") {
    const test::ScratchFolder folder;
    const StoredFeatures stored = make_stored(folder);
    const std::vector<Index> places = {1, 2, 4, 9, 3, 3, 0};

    const StoredFeatures some = stored.select(places);

    CHECK(some.num_instances() == 7);
    CHECK(read(some, 0, 7) == Matrix(count_up()(Eigen::all, places)));
    CHECK(read(some, 3, 3) ==
          Matrix(count_up()(Eigen::all, std::vector<Index>{9, 3, 3})));
    CHECK(read(some.select({6, 0}), 0, 2) ==
          Matrix(count_up()(Eigen::all, std::vector<Index>{0, 1})));
  }

  TEST_CASE("computes features as they are read") {
    const test::ScratchFolder folder;
    const StoredFeatures wide = make_stored(folder).then(widen());

    CHECK(wide.num_features() == 4);
    CHECK(read(wide, 1, 2).topRows(3) == 10.0 * count_up().middleCols(1, 2));
    CHECK(read(wide, 1, 2).row(3) == 10.0 * count_up().row(0).segment(1, 2));
    const FeatureStep halve = {
        4, [](const Matrix& from, Eigen::Ref<Matrix> to) { to = 0.5 * from; }};
    CHECK(read(wide.then(halve).select({5}), 0, 1).topRows(3) ==
          5.0 * count_up().col(5));
  }
}

}  // namespace mlp::datasets
