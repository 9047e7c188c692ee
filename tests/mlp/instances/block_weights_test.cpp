// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/block_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mlp {

namespace {

using Sizes = std::vector<Index>;

// A few hundred roundings of numbers up to 1.
constexpr double kRounding = 1e-13;

}  // namespace

TEST_SUITE("mlp/instances/block_weights") {
  // Two blocks: two instances weigh 1 / (2 * 2), the third 1 / (1 * 2).
  TEST_CASE("averages blocks rather than instances when the last is short") {
    Vector expected(3);
    expected << 0.25, 0.25, 0.5;

    CHECK(block_weights({3}, 2) == expected);
  }

  TEST_CASE("weighs 150 instances in blocks of 128 and 22 as Spark does") {
    const Vector weights = block_weights({150}, 128);

    CHECK(weights.head(128) == Vector::Constant(128, 1.0 / 256.0));
    CHECK(weights.tail(22) == Vector::Constant(22, 1.0 / 44.0));
  }

  // Blocks of 2, 1 and 2, 2: four.
  TEST_CASE("starts a new block with each partition") {
    Vector expected(7);
    expected << 0.125, 0.125, 0.25, 0.125, 0.125, 0.125, 0.125;

    CHECK(block_weights({3, 4}, 2) == expected);
  }

  TEST_CASE("takes empty partitions for no block") {
    CHECK(block_weights({0, 3, 0, 4, 0}, 2) == block_weights({3, 4}, 2));
  }

  TEST_CASE("weighs all alike with blocks of 1 or one block") {
    CHECK(block_weights({5}, 1) == Vector::Constant(5, 0.2));
    CHECK(block_weights({5}, 5) == Vector::Constant(5, 0.2));
    CHECK(block_weights({5}, std::numeric_limits<Index>::max()) ==
          Vector::Constant(5, 0.2));
  }

  TEST_CASE("gives no weight where there is no instance") {
    CHECK(block_weights({}, 128).size() == 0);
    CHECK(block_weights({0, 0}, 128).size() == 0);
  }

  TEST_CASE("sums to 1 for every cut") {
    const std::vector<Sizes> cuts = {{1}, {7}, {1, 1}, {10, 0, 3}, {129, 64}};
    for (const Sizes& cut : cuts) {
      for (const Index block_size : {1, 2, 3, 7, 64, 128, 1000}) {
        CAPTURE(block_size);
        CHECK(std::abs(block_weights(cut, block_size).sum() - 1.0) < kRounding);
      }
    }
  }

  TEST_CASE("gives every block the same weight") {
    const Vector weights = block_weights({7, 5}, 3);

    // Blocks of 3, 3, 1 and 3, 2.
    Index first = 0;
    for (const Index size : {3, 3, 1, 3, 2}) {
      CHECK(std::abs(weights.segment(first, size).sum() - 0.2) < kRounding);
      first += size;
    }
    CHECK(first == weights.size());
  }
}

}  // namespace mlp
