// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/instance_range.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

namespace mlp {

TEST_SUITE("mlp/instances/instance_range") {
  // Instances 2 and 3 of 4, with 3 features and 2 outputs each: features from
  // 2 * 3 on, targets from 2 * 2 on.
  TEST_CASE("slices every array at the instance where the slice begins") {
    const std::array<double, 12> features{};
    const std::array<double, 4> weights{};
    const std::array<std::int32_t, 4> labels{};
    const std::array<double, 8> targets{};
    const InstanceRange all{4, features.data(), weights.data(), labels.data(),
                            targets.data()};

    const InstanceRange slice = all.slice(2, 2, 3, 2);

    CHECK(slice.size == 2);
    CHECK(slice.features == features.data() + 6);
    CHECK(slice.weights == weights.data() + 2);
    CHECK(slice.labels == labels.data() + 2);
    CHECK(slice.targets == targets.data() + 4);
    CHECK(slice.first == 2);
  }

  TEST_CASE("counts the first instance of a slice from the whole") {
    const std::array<double, 9> features{};
    InstanceRange all;
    all.size = 9;
    all.features = features.data();

    const InstanceRange slice = all.slice(3, 5, 1, 1).slice(2, 1, 1, 1);

    CHECK(slice.first == 5);
    CHECK(slice.features == features.data() + 5);
    CHECK(slice.size == 1);
  }

  TEST_CASE("leaves out what the whole does not have") {
    const double feature = 1.0;
    InstanceRange all;
    all.size = 1;
    all.features = &feature;

    const InstanceRange slice = all.slice(1, 0, 1, 1);

    CHECK(slice.weights == nullptr);
    CHECK(slice.labels == nullptr);
    CHECK(slice.targets == nullptr);
  }

  TEST_CASE("packs rows where they are, although an allocator moves them") {
    Matrix rows(1, 5);
    rows << 0, 1, 2, 3, 4;
    FeatureStore store(rows);
    InstanceRange all;
    all.size = 5;
    all.features = rows.data();
    all.store = &store;
    std::vector<double> packed;
    std::vector<Matrix> old_homes;

    pack_slices(all, 2,
                [&](const InstanceRange& now, Index first, Index count) {
                  CHECK(now.features == rows.data());
                  packed.insert(packed.begin(), now.features + first,
                                now.features + first + count);
                  Matrix moved = rows;
                  rows.swap(moved);
                  old_homes.push_back(std::move(moved));
                });

    CHECK(packed == std::vector<double>{0, 1, 2, 3, 4});
    CHECK(rows.size() == 0);
  }

  TEST_CASE("holds nothing unless told otherwise") {
    CHECK(InstanceRange().size == 0);
    CHECK(InstanceRange().features == nullptr);
    CHECK(InstanceRange().first == 0);
  }
}

}  // namespace mlp
