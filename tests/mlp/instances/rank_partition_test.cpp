// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/rank_partition.hpp"

#include <doctest/doctest.h>

#include "../../../core/error.hpp"

namespace mlp {

TEST_SUITE("mlp/instances/rank_partition") {
  TEST_CASE("begins where the ranks before end") {
    const RankPartition partition =
        RankPartition::of_rank(2, {300, 0, 500, 200});

    CHECK(partition.first == 300);
    CHECK(partition.num_instances == 1000);
  }

  // 1,000 instances in 3 slices are cut at 432 and 720.
  TEST_CASE("finds its slices where it is cut between slices") {
    const Slices slices = RankPartition{432, 1000}.slices(1, 288, 3);

    CHECK(slices.size() == 1);
    CHECK(slices.first_instance() == 432);
  }

  TEST_CASE("rejects a partition that is cut elsewhere and says where") {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(RankPartition{432, 1000}.slices(1, 100, 3)),
        "a reproducible training must cut the instances between the slices of "
        "its sums; 1000 instances have 3 slices; got instances 432 to 532 on "
        "rank 1; give every rank the same file, or train without reproducible",
        ParamError);
  }
}

}  // namespace mlp
