// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_folds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mlp {

namespace {

/// Counts the folds that have an instance.
std::vector<int> count_folds(const std::vector<std::vector<Index>>& folds,
                             Index num_instances) {
  std::vector<int> count(static_cast<std::size_t>(num_instances));
  for (const auto& fold : folds) {
    for (const Index i : fold) ++count[static_cast<std::size_t>(i)];
  }
  return count;
}

}  // namespace

TEST_SUITE("mlp/selection/selection_folds") {
  TEST_CASE("each instance is in one fold") {
    Vector labels(23);
    for (Index i = 0; i < 23; ++i) labels[i] = static_cast<double>(i % 3);

    const auto folds = selection_folds(labels, {}, {}, 5, 1);

    CHECK(folds.size() == 5);
    CHECK(count_folds(folds, 23) == std::vector<int>(23, 1));
    for (const auto& fold : folds) {
      CHECK(std::is_sorted(fold.begin(), fold.end()));
    }
  }

  TEST_CASE("an instance that is alone in its class is always trained on") {
    Vector labels = Vector::Zero(10);
    labels[4] = 1.0;

    std::vector<int> expected(10, 1);
    expected[4] = 0;
    CHECK(count_folds(selection_folds(labels, {}, {}, 5, 1), 10) == expected);
  }

  TEST_CASE("a group is in one fold") {
    Vector labels(40);
    std::vector<Index> groups;
    for (Index i = 0; i < 40; ++i) {
      labels[i] = static_cast<double>(i % 2);
      groups.push_back(i / 4);
    }

    const auto folds = selection_folds(labels, groups, {}, 5, 1);

    CHECK(count_folds(folds, 40) == std::vector<int>(40, 1));
    for (const auto& fold : folds) {
      CHECK(fold.size() == 8);
      std::set<Index> members;
      for (const Index i : fold)
        members.insert(groups[static_cast<std::size_t>(i)]);
      CHECK(members.size() == 2);
    }
  }

  TEST_CASE("a class that one group alone has is always trained on") {
    const Vector labels{{0, 0, 1, 1, 0, 0}};
    const auto folds = selection_folds(labels, {0, 0, 1, 1, 2, 2}, {}, 3, 1);
    CHECK(count_folds(folds, 6) == std::vector<int>{1, 1, 0, 0, 1, 1});
    CHECK(folds.size() == 2);
  }

  TEST_CASE("refuses groups that leave no fold") {
    datasets::Dataset data;
    data.source = "t.csv";
    data.labels = Vector{{0, 0, 1, 1}};
    data.groups = {0, 0, 1, 1};
    const auto folds = selection_folds(data.labels, data.groups, {}, 2, 1);

    CHECK(folds.empty());
    CHECK_THROWS_WITH_AS(
        check_group_folds(data, folds),
        "t.csv: the groups leave no fold, because a training without a fold's "
        "groups would not see its classes; expected instances of a class in "
        "at least 2 groups; give other groups, or leave them out",
        DataError);
    CHECK_NOTHROW(check_group_folds({}, folds));
  }

  TEST_CASE("an instance of weight 0 is in no fold and counts for no class") {
    const Vector labels{{0, 0, 0, 0, 1, 1, 1, 1}};
    const Vector weights{{1, 2, 1, 1, 0, 0, 0, 3}};
    const auto folds = selection_folds(labels, {}, weights, 4, 1);
    CHECK(count_folds(folds, 8) == std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0});
  }

  TEST_CASE("more folds than instances are left out") {
    CHECK(selection_folds(Vector::Zero(3), {}, {}, 5, 1).size() == 3);
  }
}

}  // namespace mlp
