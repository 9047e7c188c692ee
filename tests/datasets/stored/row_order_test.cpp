// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/row_order.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../datasets/random_split.hpp"
#include "../../../datasets/stored/feature_file.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::datasets {

namespace {

/// Instances with the features -1 and 0.5, so that many are equal. The labels are 0 and 1.
Dataset make_data(Index num_features, Index num_instances) {
  SparkRandom random(7);
  Dataset data;
  data.features.resize(num_features, num_instances);
  for (Index i = 0; i < data.features.size(); ++i) {
    data.features.data()[i] = random.next_double() < 0.5 ? -1.0 : 0.5;
  }
  data.labels.resize(num_instances);
  for (double& label : data.labels) label = random.next_double() < 0.5;
  return data;
}

/// Seven features of 600 sparse vectors, which state some of their zeros.
Dataset make_sparse_data() {
  Dataset data = make_data(7, 600);
  SparkRandom random(3);
  for (Index i = 0; i < data.features.size(); ++i) {
    if (random.next_double() < 0.6) data.features.data()[i] = 0.0;
  }
  for (Index i = 0; i < 600; i += 5) {
    for (const Index feature : {1, 6}) {
      if (data.features(feature, i) != 0.0) continue;
      data.stored_zeros.push_back({i, feature});
    }
  }
  data.vector_kind = VectorKind::kSparse;
  return data;
}

StoredFeatures store(const Matrix& features,
                     const test::ScratchFolder& folder) {
  const auto file = std::make_shared<FeatureFile>(
      folder.path(), features.rows(), StoredNumber::kFloat64);
  file->append(features.data(), features.cols());
  return StoredFeatures(file);
}

auto by_label(const Dataset& data) {
  return
      [&](Index a, Index b) { return detail::compare_labels(data, a, b) < 0; };
}

std::vector<Index> counting(Index size) {
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace

TEST_SUITE("datasets/stored/row_order") {
  TEST_CASE("sorts rows as in memory, whatever the memory") {
    const test::ScratchFolder folder;
    const Dataset data = make_data(11, 997);
    const std::vector<Index> sizes = {300, 0, 1, 696};
    const std::vector<Index> expected = detail::sort_partitions(data, sizes);
    const StoredFeatures features = store(data.features, folder);
    for (const Index max_numbers : {1, 2000, 1 << 20}) {
      std::vector<Index> order = counting(997);

      sort_stored_rows(features, by_label(data), nullptr, sizes, order,
                       max_numbers);

      CHECK(order == expected);
    }
  }

  TEST_CASE("sorts missing values behind numbers, and labels that are texts") {
    const test::ScratchFolder folder;
    Dataset data = make_data(5, 300);
    for (Index i = 0; i < data.features.size(); i += 3) {
      data.features.data()[i] = std::nan("");
    }
    data.columns.resize(5);
    for (const double label : data.labels) {
      data.label_texts.push_back(label == 0.0 ? "no" : "yes");
    }
    data.labels.resize(0);
    const std::vector<Index> sizes = {300};
    std::vector<Index> order = counting(300);

    sort_stored_rows(store(data.features, folder), by_label(data), nullptr,
                     sizes, order);

    CHECK(order == detail::sort_partitions(data, sizes));
  }

  TEST_CASE("sorts rows without labels") {
    const test::ScratchFolder folder;
    Dataset data = make_data(3, 50);
    data.labels.resize(0);
    const std::vector<Index> sizes = {50};
    std::vector<Index> order = counting(50);

    sort_stored_rows(store(data.features, folder), by_label(data), nullptr,
                     sizes, order);

    CHECK(order == detail::sort_partitions(data, sizes));
  }

  TEST_CASE("sorts sparse vectors by the lists of their features first") {
    const test::ScratchFolder folder;
    const Dataset data = make_sparse_data();
    const std::vector<Index> sizes = {250, 350};
    const std::vector<Index> expected = detail::sort_partitions(data, sizes);
    const StoredFeatures features = store(data.features, folder);
    const detail::ExplicitZeros zeros(data);
    for (const Index max_numbers : {1, 900, 1 << 20}) {
      std::vector<Index> order = counting(600);

      sort_stored_rows(
          features, by_label(data),
          [&](Index instance, double* values) {
            detail::make_list_keys(zeros.of(instance), 7, values);
          },
          sizes, order, max_numbers);

      CHECK(order == expected);
    }
  }

  TEST_CASE("Spark's split has the rows of that in memory") {
    const test::ScratchFolder folder;
    Dataset data = make_data(6, 400);
    SUBCASE("dense vectors") {}
    SUBCASE("sparse vectors") {
      data.vector_kind = VectorKind::kSparse;
      for (Index i = 0; i < data.features.size(); i += 3) {
        data.features.data()[i] = 0.0;
      }
    }
    const std::vector<double> weights = {0.7, 0.3};
    const auto expected = random_split(data, weights, 3);
    data.stored =
        std::make_shared<const StoredFeatures>(store(data.features, folder));
    data.features.resize(0, 0);

    const auto parts = random_split(data, weights, 3);

    REQUIRE(parts.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(parts[i].labels == expected[i].labels);
      CHECK(parts[i].first_features(400) == expected[i].features);
    }
  }
}

}  // namespace mlp::datasets
