// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/stratified_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace mlp::datasets {

namespace {

/// As many instances of each class as counts say; the feature is the position.
Dataset make_data(const std::vector<Index>& counts) {
  std::vector<double> labels;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    labels.insert(labels.end(), static_cast<std::size_t>(counts[label]),
                  static_cast<double>(label));
  }
  Dataset data;
  data.labels = Eigen::Map<const Vector>(labels.data(),
                                         static_cast<Index>(labels.size()));
  data.features.resize(1, data.labels.size());
  for (Index i = 0; i < data.labels.size(); ++i) {
    data.features(0, i) = static_cast<double>(i);
  }
  return data;
}

Index count(const Vector& labels, double label) {
  return (labels.array() == label).count();
}

}  // namespace

TEST_SUITE("datasets/stratified_split") {
  TEST_CASE("gives both parts the share of each class") {
    const auto [train, test] =
        stratified_split(make_data({100, 10, 30}), {0.7, 0.3}, 1);

    for (const auto& [label, size] :
         {std::pair{0.0, 70}, std::pair{1.0, 7}, std::pair{2.0, 21}}) {
      CHECK(count(train.labels, label) == size);
    }
    CHECK(test.num_instances() == 42);
  }

  TEST_CASE("keeps every instance once and in the order of the data") {
    const auto [train, test] =
        stratified_split(make_data({7, 5, 3}), {2.0, 1.0}, 5);
    std::vector<double> all;
    for (const Dataset* part : {&train, &test}) {
      const double* const begin = part->features.data();
      CHECK(std::is_sorted(begin, begin + part->num_instances()));
      all.insert(all.end(), begin, begin + part->num_instances());
    }

    std::sort(all.begin(), all.end());
    REQUIRE(all.size() == 15);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i] == static_cast<double>(i));
    }
  }

  TEST_CASE("keeps the sizes of the parts where classes are small") {
    const auto [train, test] =
        stratified_split(make_data(std::vector<Index>(40, 3)), {0.75, 0.25}, 2);

    CHECK(train.num_instances() == 90);
    CHECK(test.num_instances() == 30);
  }

  TEST_CASE("trains on a class of one instance") {
    const auto [train, test] =
        stratified_split(make_data({1, 1, 1, 1}), {0.1, 0.9}, 3);

    CHECK(train.num_instances() == 4);
    CHECK(test.num_instances() == 0);
  }

  TEST_CASE("draws other instances with another seed only") {
    const Dataset data = make_data({50, 50});
    const auto first = stratified_split(data, {0.5, 0.5}, 1);
    const auto same = stratified_split(data, {0.5, 0.5}, 1);
    const auto other = stratified_split(data, {0.5, 0.5}, 2);

    CHECK(first[0].features == same[0].features);
    CHECK(first[0].features != other[0].features);
  }

  TEST_CASE("leaves instances in their partitions") {
    Dataset data = make_data({6, 6});
    data.partition_sizes = {4, 0, 8};

    const auto parts = stratified_split(data, {0.5, 0.5}, 1);

    for (const Dataset& part : parts) {
      REQUIRE(part.partition_sizes.size() == 3);
      const double* const begin = part.features.data();
      CHECK(part.partition_sizes[0] ==
            std::count_if(begin, begin + part.num_instances(),
                          [](double position) { return position < 4.0; }));
      CHECK(part.partition_sizes[1] == 0);
    }
  }

  TEST_CASE("makes folds whose sizes differ by at most one") {
    const Dataset data = make_data({13, 4, 6});

    const auto folds = stratified_folds(data.labels, 4, 9);

    REQUIRE(folds.size() == 4);
    std::vector<Index> all;
    for (const auto& fold : folds) {
      CHECK((fold.size() == 5 || fold.size() == 6));
      const Dataset part = select_within_partitions(data, fold);
      CHECK(count(part.labels, 0.0) >= 3);
      CHECK(count(part.labels, 0.0) <= 4);
      CHECK(count(part.labels, 1.0) == 1);
      all.insert(all.end(), fold.begin(), fold.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i] == static_cast<Index>(i));
    }
  }

  TEST_CASE("refuses weights that leave a part empty") {
    CHECK_THROWS_WITH_AS(stratified_split(make_data({2}), {1.0, 0.0}, 1),
                         "split weights must be positive and finite",
                         ParamError);
  }
}

}  // namespace mlp::datasets
