// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../../../core/error.hpp"
#include "../../../mlp/training/rank_instances.hpp"

namespace mlp {

TEST_SUITE("mlp/instances/instance_share") {
  TEST_CASE("begins where the ranks before end") {
    const InstanceShare share = InstanceShare::of_rank(2, {300, 0, 500, 200});

    CHECK(share.first == 300);
    CHECK(share.num_instances == 1000);
  }

  // 1,000 instances in 3 leaves are cut at 432 and 720.
  TEST_CASE("finds its leaves where it is cut between leaves") {
    const Leaves leaves = InstanceShare{432, 1000}.leaves(1, 288, 3);

    CHECK(leaves.size() == 1);
    CHECK(leaves.first_instance() == 432);
  }

  TEST_CASE("rejects a share that is cut elsewhere and says where") {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(InstanceShare{432, 1000}.leaves(1, 100, 3)),
        "a reproducible training must cut the instances between the leaves of "
        "its sums; 1000 instances have 3 leaves; got instances 432 to 532 on "
        "rank 1; give every rank the same file, or train without reproducible",
        ParamError);
  }
}

}  // namespace mlp
