// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/select.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mlp::datasets {

namespace {

Dataset three_instances() {
  Dataset data;
  data.features = Matrix{{1, 0, 5}, {0, 4, 0}};
  data.labels = Eigen::Vector3d(0, 1, 2);
  data.weights = Eigen::Vector3d(0.5, 1, 2);
  data.label_texts = {"a", "b", "c"};
  data.feature_names = {"x", "y"};
  data.label_name = std::string("kind");
  data.source = std::string("f");
  data.lines = {2, 4, 6};
  data.vector_kind = VectorKind::kSparse;
  data.stored_zeros = {{0, 1}, {2, 1}};
  data.partition_sizes = {1, 2};
  return data;
}

using Indices = std::vector<Index>;

}  // namespace

TEST_SUITE("datasets/select") {
  TEST_CASE("gathers all that instances have in the order asked for") {
    const Dataset chosen = select(three_instances(), Indices{2, 1, 2});

    CHECK(chosen.features == Matrix{{5, 0, 5}, {0, 4, 0}});
    CHECK(chosen.labels == Eigen::Vector3d(2, 1, 2));
    CHECK(chosen.weights == Eigen::Vector3d(2, 1, 2));
    CHECK(chosen.label_texts == std::vector<std::string>{"c", "b", "c"});
    CHECK(chosen.lines == Indices{6, 4, 6});
    CHECK(chosen.stored_zeros == std::vector<StoredZero>{{0, 1}, {2, 1}});
  }

  TEST_CASE("keeps what belongs to the whole and forgets the partitions") {
    const Dataset chosen = select(three_instances(), Indices{0});

    CHECK(chosen.feature_names == std::vector<std::string>{"x", "y"});
    CHECK(chosen.label_name == "kind");
    CHECK(chosen.source == "f");
    CHECK(chosen.vector_kind == VectorKind::kSparse);
    CHECK(chosen.partition_sizes.empty());
  }

  TEST_CASE("knows the file and the line of each instance of several files") {
    Dataset data = three_instances();
    data.files = {{"a", 0}, {"b", 3}, {"c", 5}};

    const Dataset chosen = select(data, Indices{2, 0});

    CHECK(chosen.place_of(0).file == "c");
    CHECK(chosen.place_of(0).position.line == 1);
    CHECK(chosen.place_of(1).file == "a");
    CHECK(chosen.place_of(1).position.line == 2);
  }

  TEST_CASE("gives no instance with all features where none is asked for") {
    const Dataset chosen = select(three_instances(), Indices{});

    CHECK(chosen.num_instances() == 0);
    CHECK(chosen.num_features() == 2);
    CHECK_FALSE(chosen.has_labels());
  }

  TEST_CASE("leaves out what the data do not have") {
    Dataset data;
    data.features = Matrix{{1, 2}};

    const Dataset chosen = select(data, Indices{1});

    CHECK(chosen.features == Matrix{{2}});
    CHECK(chosen.labels.size() == 0);
    CHECK(chosen.weights.size() == 0);
    CHECK(chosen.lines.empty());
  }

  TEST_CASE("gathers a run as it gathers its instances") {
    const Dataset run = select_run(three_instances(), 1, 2);
    const Dataset chosen = select(three_instances(), Indices{1, 2});

    CHECK(run.features == chosen.features);
    CHECK(run.labels == chosen.labels);
    CHECK(run.lines == chosen.lines);
    CHECK(select_run(three_instances(), 3, 0).num_instances() == 0);
  }

  TEST_CASE("refuses an instance that is not there") {
    CHECK_THROWS_WITH_AS(select(three_instances(), Indices{0, 3}),
                         "instances must be 0..2, got 3", ShapeError);
    CHECK_THROWS_WITH_AS(select(three_instances(), Indices{-1}),
                         "instances must be 0..2, got -1", ShapeError);
  }
}

}  // namespace mlp::datasets
