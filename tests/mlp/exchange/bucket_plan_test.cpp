// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/exchange/bucket_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace mlp {

TEST_SUITE("mlp/exchange/bucket_plan") {
  TEST_CASE("cuts from the end, first a small bucket, then at layers") {
    // 9 * 10 + 10 = 100 weights, 10 * 6 + 6 = 66, 6 * 4 + 4 = 28.
    const Topology topology({9, 10, 6, 4});

    const BucketPlan plan(topology, 80 * 8, 8);

    // 20 at first; then 80 would reach 94, whose layer starts at 100, and the
    // last 80 leave 20.
    CHECK(plan.buckets() ==
          std::vector<Bucket>{
              {174, 20, 2}, {100, 74, 1}, {20, 80, 0}, {0, 20, 0}});
    CHECK(plan.max_size() == 80);
  }

  TEST_CASE("makes one bucket of a gradient that fits, and where asked to") {
    const Topology topology({9, 10, 6, 4});

    CHECK(BucketPlan(topology, 194 * 4, 4).buckets() ==
          std::vector<Bucket>{{0, 194, 0}});
    CHECK(BucketPlan(topology, 0, 8).buckets() ==
          std::vector<Bucket>{{0, 194, 0}});
    CHECK(BucketPlan(topology, 193 * 4, 4).buckets().size() > 1);
  }

  TEST_CASE("covers each number once and waits for the layers of a bucket") {
    const Topology topology({7, 5, 5, 1, 3});
    for (Index bytes = 1; bytes <= topology.num_weights() * 8; ++bytes) {
      CAPTURE(bytes);
      Index end = topology.num_weights();
      const BucketPlan plan(topology, bytes, 8);
      for (const Bucket& bucket : plan.buckets()) {
        CHECK(bucket.first + bucket.size == end);
        CHECK(bucket.size >= 1);
        CHECK(bucket.size <= std::max<Index>(bytes / 8, 1));
        CHECK(topology.weight_offset(bucket.layer) <= bucket.first);
        CHECK(topology.layer_end(bucket.layer) > bucket.first);
        end = bucket.first;
      }
      CHECK(end == 0);
    }
  }
}

}  // namespace mlp
