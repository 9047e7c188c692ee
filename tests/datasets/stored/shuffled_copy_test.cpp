// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/shuffled_copy.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../datasets/stored/feature_file.hpp"
#include "../../../datasets/stored/stored_features.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::datasets {

namespace {

std::vector<Index> random_order(Index size) {
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  SparkRandom random(3);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.next_double() *
                                             static_cast<double>(i))]);
  }
  return order;
}

Matrix count_up(Index num_features, Index num_instances) {
  return Vector::LinSpaced(
             num_features * num_instances, 0.0,
             static_cast<double>(num_features * num_instances) - 1.0)
      .reshaped(num_features, num_instances);
}

}  // namespace

TEST_SUITE("datasets/stored/shuffled_copy") {
  TEST_CASE("writes each instance at its place, with buckets of any size") {
    const test::ScratchFolder folder;
    const Matrix features = count_up(3, 1001);
    const std::vector<Index> order = random_order(1001);
    for (const std::size_t bucket_bytes :
         {1U, 24U * 7U, 24U * 400U, 1U << 20}) {
      FeatureFile file(folder.path(), 3, StoredNumber::kFloat64);

      const std::vector<Index> places =
          ShuffledCopy(file, order, bucket_bytes)
              .copy(64, [&](Index first, Index count, double* to) {
                std::copy_n(features.data() + 3 * first, 3 * count, to);
              });

      Matrix copy(3, 1001);
      REQUIRE(file.num_instances() == 1001);
      file.read(0, 1001, copy.data());
      CHECK(copy == Matrix(features(Eigen::all, order)));
      CHECK(places[static_cast<std::size_t>(order[17])] == 17);
    }
  }

  TEST_CASE("instances keep their positions in a copy for mini-batches") {
    const test::ScratchFolder folder;
    const Matrix features = count_up(3, 100);
    const auto file =
        std::make_shared<FeatureFile>(folder.path(), 3, StoredNumber::kFloat32);
    file->append(features.data(), 100);
    std::vector<Index> chosen(50);
    std::iota(chosen.begin(), chosen.end(), Index{30});
    const StoredFeatures some = StoredFeatures(file).select(chosen);

    const StoredFeatures copy = some.copied_for(random_order(50));

    Matrix rows(3, 4);
    copy.read_at({0, 49, 7, 8}, rows.data());
    CHECK(rows == Matrix(features(Eigen::all, std::vector{30, 79, 37, 38})));
    copy.read(10, 4, rows.data());
    CHECK(rows == features.middleCols(40, 4));
    CHECK_NOTHROW(copy.expect({1, 2, 3}));
  }
}

}  // namespace mlp::datasets
