// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/random_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../datasets/csv/csv.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/libsvm/libsvm.hpp"
#include "../cpu_seconds.hpp"

namespace mlp::datasets {

using nlohmann::json;

namespace {

json read_golden(const std::string& name) {
  std::ifstream file(MLP_TEST_DATA_DIR "/golden/spark-3.5/" + name + ".json");
  return json::parse(file);
}

Dataset read_iris(const std::vector<Index>& partition_sizes) {
  Dataset iris = datasets::read_csv_file(MLP_DATA_DIR "/iris.csv").dataset;
  iris.labels = LabelIndex::fit(iris.label_texts).apply(iris);
  iris.partition_sizes = partition_sizes;
  return iris;
}

/// Compares a part with the rows that Spark put into it, in order.
void check_rows(const Dataset& part, const json& rows) {
  REQUIRE(part.num_instances() == static_cast<Index>(rows.size()));
  for (Index i = 0; i < part.num_instances(); ++i) {
    const json& row = rows[static_cast<std::size_t>(i)];
    const auto features = row["features"].get<std::vector<double>>();
    CHECK(part.labels[i] == row["label"].get<double>());
    CHECK(part.features.col(i) == Eigen::Map<const Vector>(features.data(), 4));
  }
}

void check_iris_split(const std::string& name) {
  const json golden = read_golden(name);
  const json& split = golden["randomSplit"];

  const auto parts = random_split(read_iris(golden["partitionSizes"]),
                                  split["weights"].get<std::vector<double>>(),
                                  split["seed"].get<std::int64_t>());

  REQUIRE(parts.size() == golden["splits"].size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_rows(parts[i], golden["splits"][i]);
  }
}

/// Instances of one class in one partition, sorted by a split into one part.
Matrix sorted_by_spark(const Matrix& features, VectorKind kind,
                       std::vector<datasets::StoredZero> zeros = {}) {
  Dataset data;
  data.features = features;
  data.labels = Vector::Zero(features.cols());
  data.vector_kind = kind;
  data.stored_zeros = std::move(zeros);
  return random_split(data, std::vector<double>{1.0}, 1)[0].features;
}

using Weights = std::vector<double>;

/// A sparse vector as Spark stores it: the features, then their values.
using Stored = std::pair<std::vector<Index>, std::vector<double>>;

/// Makes random sparse rows. A sixth of the numbers are zeros that the file
/// states.
Dataset random_sparse_rows(Index num_instances, std::vector<Stored>& stored) {
  std::mt19937 source(7);
  Dataset data;
  data.vector_kind = VectorKind::kSparse;
  data.features = Matrix::Zero(4, num_instances);
  data.labels = Vector::Zero(num_instances);
  for (Index i = 0; i < num_instances; ++i) {
    Stored& row = stored.emplace_back();
    for (Index feature = 0; feature < 4; ++feature) {
      const auto kind = static_cast<int>(source() % 6);
      if (kind < 3) continue;
      data.features(feature, i) = kind - 3;
      if (kind == 3) data.stored_zeros.push_back({i, feature});
      row.first.push_back(feature);
      row.second.push_back(kind - 3);
    }
  }
  return data;
}

}  // namespace

TEST_SUITE("datasets/random_split") {
  TEST_CASE("splits Iris in one partition row for row as Spark does") {
    check_iris_split("iris_random_split_1_partitions");
  }

  TEST_CASE("splits Iris in three partitions row for row as Spark does") {
    check_iris_split("iris_random_split_3_partitions");
  }

  TEST_CASE("splits the sparse rows of Spark's guide row for row") {
    const json golden = read_golden("user_guide");
    const Dataset data = datasets::read_libsvm_file(
        MLP_DATA_DIR "/sample_multiclass_classification_data.txt");

    const auto parts = random_split(data, Weights{0.6, 0.4}, 1234);

    REQUIRE(parts.size() == 2);
    check_rows(parts[0], golden["train"]);
    check_rows(parts[1], golden["test"]);
  }

  TEST_CASE("splits the same rows differently where they are dense") {
    Dataset data = datasets::read_libsvm_file(
        MLP_DATA_DIR "/sample_multiclass_classification_data.txt");
    const auto sparse = random_split(data, Weights{0.6, 0.4}, 1234);
    data.vector_kind = VectorKind::kDense;

    const auto dense = random_split(data, Weights{0.6, 0.4}, 1234);

    CHECK(dense[0].lines != sparse[0].lines);
  }

  TEST_CASE("puts each instance into one part and keeps its partition") {
    const auto parts =
        random_split(read_iris({50, 0, 100}), Weights{1, 0, 3}, -7);

    CHECK(parts[0].num_instances() + parts[2].num_instances() == 150);
    CHECK(parts[1].partition_sizes == std::vector<Index>{0, 0, 0});
    CHECK(parts[1].num_features() == 4);
    CHECK(parts[0].partition_sizes[0] + parts[2].partition_sizes[0] == 50);
    CHECK(parts[0].partition_sizes[1] == 0);
    CHECK(parts[0].partition_sizes[2] + parts[2].partition_sizes[2] == 100);
  }

  TEST_CASE("lets each instance keep its weight") {
    Dataset iris = read_iris({});
    iris.weights = iris.features.row(2).transpose();

    for (const Dataset& part : random_split(iris, Weights{1, 2}, 5)) {
      CHECK(part.weights == part.features.row(2).transpose());
    }
  }

  TEST_CASE("gives one partition where the data have none") {
    const auto parts = random_split(read_iris({}), Weights{1, 1}, 3);

    CHECK(parts[0].partition_sizes ==
          std::vector<Index>{parts[0].num_instances()});
  }

  TEST_CASE("wraps the seed of later partitions around as Java does") {
    const auto most = std::numeric_limits<std::int64_t>::max();

    const auto parts = random_split(read_iris({75, 75}), Weights{1, 1}, most);

    CHECK(parts[0].num_instances() + parts[1].num_instances() == 150);
  }

  TEST_CASE("sorts dense rows by their values") {
    CHECK(sorted_by_spark(Matrix{{1, 0, 0}, {0, 2, -2}}, VectorKind::kDense) ==
          Matrix{{0, 0, 1}, {-2, 2, 0}});
  }

  // Stored features: {0}, {1}, {}, {0, 1}, {1}.
  TEST_CASE("sorts sparse rows by the features they store and then by value") {
    CHECK(sorted_by_spark(Matrix{{9, 0, 0, 1, 0}, {0, 2, 0, 1, -2}},
                          VectorKind::kSparse) ==
          Matrix{{0, 9, 1, 0, 0}, {0, 0, 1, -2, 2}});
  }

  // The second row states its zero: {0, 1} comes after {0} of the first one.
  TEST_CASE("counts a stated zero as stored") {
    CHECK(sorted_by_spark(Matrix{{5, 3}, {0, 0}}, VectorKind::kSparse) ==
          Matrix{{3, 5}, {0, 0}});
    CHECK(sorted_by_spark(Matrix{{5, 3}, {0, 0}}, VectorKind::kSparse,
                          {{1, 1}}) == Matrix{{5, 3}, {0, 0}});
  }

  TEST_CASE("sorts random sparse rows as lists of features, then of values") {
    std::vector<Stored> stored;
    const Dataset data = random_sparse_rows(500, stored);
    std::sort(stored.begin(), stored.end());

    const Dataset sorted = random_split(data, Weights{1.0}, 1)[0];

    for (Index i = 0; i < sorted.num_instances(); ++i) {
      const auto& [features, values] = stored[static_cast<std::size_t>(i)];
      Vector row = Vector::Zero(4);
      for (std::size_t j = 0; j < features.size(); ++j) {
        row[features[j]] = values[j];
      }
      CHECK(sorted.features.col(i) == row);
    }
  }

  TEST_CASE("sorts dense rows of stated zeros in one pass over each pair") {
    constexpr Index kNumRows = 2000;
    constexpr Index kWidth = 600;
    constexpr double kMaxSeconds = 2.0;  // a search for each zero takes over 5
    Dataset data;
    data.vector_kind = VectorKind::kSparse;
    data.features = Matrix::Zero(kWidth, kNumRows);
    data.labels = Vector::Zero(kNumRows);
    for (Index i = 0; i < kNumRows; ++i) {
      data.features(kWidth - 1, i) = static_cast<double>(1 + i % 7);
      for (Index j = 0; j + 1 < kWidth; ++j) {
        data.stored_zeros.push_back({i, j});
      }
    }
    std::vector<Dataset> parts;

    const double seconds = mlp::test::cpu_seconds(
        [&] { parts = random_split(data, Weights{1.0}, 1); });

    CHECK(parts[0].features(kWidth - 1, 0) == 1.0);
    CHECK(parts[0].features(kWidth - 1, kNumRows - 1) == 7.0);
    CHECK(seconds < kMaxSeconds);
  }

  TEST_CASE("sums the bounds as Scala does") {
    CHECK(datasets::detail::split_bounds(Weights{0.6, 0.4}) ==
          Weights{0.0, 0.6, 1.0});
    CHECK(datasets::detail::split_bounds(Weights{0.1, 0.2, 0.7}) ==
          Weights{0.0, 0.1 / (0.1 + 0.2 + 0.7),
                  0.1 / (0.1 + 0.2 + 0.7) + 0.2 / (0.1 + 0.2 + 0.7),
                  0.1 / (0.1 + 0.2 + 0.7) + 0.2 / (0.1 + 0.2 + 0.7) +
                      0.7 / (0.1 + 0.2 + 0.7)});
  }

  TEST_CASE("refuses weights that are negative or not finite or all zero") {
    const Dataset iris = read_iris({});

    CHECK_THROWS_WITH_AS(random_split(iris, Weights{0.5, -1}, 1),
                         "split weights must be 0 or more; weight 1 is -1",
                         ParamError);
    CHECK_THROWS_WITH_AS(random_split(iris, Weights{NAN}, 1),
                         "split weights must be 0 or more; weight 0 is NaN",
                         ParamError);
    CHECK_THROWS_WITH_AS(random_split(iris, Weights{0, 0}, 1),
                         "split weights must have a positive sum, got [0, 0]",
                         ParamError);
    CHECK_THROWS_AS(random_split(iris, Weights{}, 1), ParamError);
  }

  TEST_CASE("refuses partitions that do not cut the instances") {
    CHECK_THROWS_WITH_AS(random_split(read_iris({1, 2}), Weights{1}, 1),
                         "partition sizes must sum to the 150 instances, got 3",
                         ParamError);
  }
}

}  // namespace mlp::datasets
