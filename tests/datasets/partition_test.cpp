// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/partition.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <vector>

namespace mlp::datasets {

namespace {

using Sizes = std::vector<Index>;

}  // namespace

TEST_SUITE("datasets/partition") {
  // floor(i * 10 / 4) = 0, 2, 5, 7, 10
  TEST_CASE("cuts ten instances into four partitions as Scala does") {
    CHECK(even_partitions(10, 4) == Sizes{2, 3, 2, 3});
  }

  TEST_CASE("leaves partitions empty where there are too many") {
    CHECK(even_partitions(2, 4) == Sizes{0, 1, 0, 1});
    CHECK(even_partitions(0, 2) == Sizes{0, 0});
  }

  TEST_CASE("follows the formula for all small numbers") {
    for (Index n = 0; n <= 40; ++n) {
      for (Index count = 1; count <= 20; ++count) {
        Sizes expected;
        for (Index i = 0; i < count; ++i) {
          expected.push_back((i + 1) * n / count - i * n / count);
        }
        CHECK(even_partitions(n, count) == expected);
      }
    }
  }

  TEST_CASE("keeps every instance where the plain product would overflow") {
    const Index most = std::numeric_limits<Index>::max();

    const Sizes sizes = even_partitions(most, 1 << 20);

    CHECK(std::accumulate(sizes.begin(), sizes.end(), Index{0}) == most);
    CHECK(sizes.front() == most >> 20);
  }

  TEST_CASE("refuses numbers of partitions outside of the interval") {
    CHECK_THROWS_WITH_AS(even_partitions(10, 0),
                         "num_partitions must be 1 to 1048576, got 0",
                         ParamError);
    CHECK_THROWS_WITH_AS(even_partitions(10, 2147483648),
                         "num_partitions must be 1 to 1048576, got 2147483648",
                         ParamError);
    CHECK_THROWS_WITH_AS(even_partitions(-1, 1),
                         "num_instances must be 0 or more, got -1", ParamError);
  }

  TEST_CASE("each file is a partition, also one whose rows were left out") {
    Dataset data;
    data.features = Matrix::Zero(1, 5);
    data.source = "parts";
    CHECK(file_partitions(data) == Sizes{5});

    data.files = {{"a", 0}, {"b", 3}, {"c", 7}};
    data.lines = {2, 3, 8, 9, 10};
    CHECK(file_partitions(data) == Sizes{2, 0, 3});

    data.lines.clear();
    CHECK_THROWS_WITH_AS(
        static_cast<void>(file_partitions(data)),
        "parts: does not say which file an instance is from; expected files of "
        "CSV, LIBSVM, Parquet or Arrow as partitions",
        DataError);
  }

  TEST_CASE("accepts sizes that cut the instances") {
    CHECK_NOTHROW(check_partition_sizes(Sizes{3, 0, 7}, 10));
    CHECK_NOTHROW(check_partition_sizes(Sizes{0}, 0));
  }

  TEST_CASE("refuses sizes that do not cut the instances") {
    CHECK_THROWS_WITH_AS(check_partition_sizes(Sizes{3, 6}, 10),
                         "partition sizes must sum to the 10 instances, got 9",
                         ParamError);
    CHECK_THROWS_WITH_AS(check_partition_sizes(Sizes{3, 8}, 10),
                         "partition sizes must sum to the 10 instances; "
                         "partition 1 has 8 where 7 are left",
                         ParamError);
    CHECK_THROWS_WITH_AS(
        check_partition_sizes(Sizes{11, -1}, 10),
        "partition sizes must sum to the 10 instances; partition 0 has 11 "
        "where 10 are left",
        ParamError);
    CHECK_THROWS_WITH_AS(
        check_partition_sizes(Sizes{10, -1}, 9 + 1),
        "partition sizes must be 0 or more; partition 1 has -1", ParamError);
    CHECK_THROWS_WITH_AS(
        check_partition_sizes(Sizes{}, 0),
        "partition sizes must be at least one number, got none", ParamError);
  }

  TEST_CASE("refuses sizes whose sum would overflow") {
    const Index most = std::numeric_limits<Index>::max();

    CHECK_THROWS_AS(check_partition_sizes(Sizes{most, most, 12}, 10),
                    ParamError);
  }
}

}  // namespace mlp::datasets
