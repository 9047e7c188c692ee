// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/group_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mlp::datasets {

namespace {

/// Four instances in each group; the feature is the position.
Dataset make_data(Index num_groups) {
  Dataset data;
  data.features.resize(1, 4 * num_groups);
  for (Index i = 0; i < data.features.cols(); ++i) {
    data.features(0, i) = static_cast<double>(i);
    data.groups.push_back(i % num_groups);
  }
  return data;
}

std::set<Index> groups_of(const Dataset& data) {
  return {data.groups.begin(), data.groups.end()};
}

}  // namespace

TEST_SUITE("datasets/group_split") {
  TEST_CASE("splits whole groups by the shares, in the order of the data") {
    const auto [train, test] = group_split(make_data(20), {0.7, 0.3}, 1);

    CHECK(groups_of(train).size() == 14);
    CHECK(groups_of(test).size() == 6);
    CHECK(train.num_instances() == 56);
    CHECK(test.num_instances() == 24);
    const double* const begin = train.features.data();
    CHECK(std::is_sorted(begin, begin + train.num_instances()));
  }

  TEST_CASE("splits other groups with another seed") {
    const auto test_groups = [](std::int64_t seed) {
      return groups_of(group_split(make_data(20), {1.0, 1.0}, seed)[1]);
    };
    CHECK(test_groups(1) == test_groups(1));
    CHECK(test_groups(1) != test_groups(2));
  }

  TEST_CASE("leaves the second part empty if there is one group") {
    CHECK(group_split(make_data(1), {0.7, 0.3}, 1)[1].num_instances() == 0);
  }

  TEST_CASE("deals the largest group first, so that folds are even") {
    // 5 instances of group 0, 3 of 1, 2 of 2
    const auto folds = group_folds({0, 1, 2, 0, 1, 0, 2, 0, 1, 0}, 2, 1);

    CHECK(folds[0] == std::vector<Index>{0, 3, 5, 7, 9});
    CHECK(folds[1] == std::vector<Index>{1, 2, 4, 6, 8});
  }

  TEST_CASE("leaves folds empty if there are fewer groups") {
    const auto folds = group_folds({7, 7, 8}, 3, 1);
    CHECK(folds[0] == std::vector<Index>{0, 1});
    CHECK(folds[1] == std::vector<Index>{2});
    CHECK(folds[2].empty());
  }
}

}  // namespace mlp::datasets
