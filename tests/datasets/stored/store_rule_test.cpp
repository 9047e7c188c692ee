// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/stored/store_rule.hpp"

#include <doctest/doctest.h>

namespace mlp::datasets {

TEST_SUITE("datasets/stored/store_rule") {
  TEST_CASE("data may take what is given, or most of what is left") {
    const double left = available_memory().bytes;
    const double allowed = allowed_memory({"/data", 0.0});

    CHECK(allowed_memory({"/data", 5e6}) == 5e6);
    CHECK(memory_for_data(1e9) == 0.6 * 1e9);
    CHECK(allowed > 0.4 * left);
    CHECK(allowed < 0.95 * left);
  }

  TEST_CASE("little data are always read into memory, unless a size is given") {
    CHECK(may_fit({"/data", 0.0}, kLeastCheckedBytes - 1.0));
    CHECK(may_fit({"/data", 100.0}, 100.0));
    CHECK_FALSE(may_fit({"/data", 100.0}, 101.0));
    CHECK_FALSE(may_fit({"/data", 0.0}, 1e18));
  }

  TEST_CASE(
      "sparse features keep their zeros if a copy fits into memory, too") {
    const SparseBytes sparse{800.0, 100.0, 90.0};
    const auto place = [&](double memory) {
      return choose_sparse_place(sparse, {"/data", memory});
    };

    CHECK(place(1600.0) == SparsePlace::kWithZeros);
    CHECK(place(1599.0) == SparsePlace::kWithoutZeros);
    CHECK(place(90.0) == SparsePlace::kWithoutZeros);
    CHECK(place(89.0) == SparsePlace::kFile);
  }

  TEST_CASE("features that are hardly zero keep their zeros while they fit") {
    const SparseBytes dense{800.0, 900.0, 1200.0};
    const auto place = [&](double memory) {
      return choose_sparse_place(dense, {"/data", memory});
    };

    CHECK(place(1700.0) == SparsePlace::kWithZeros);
    CHECK(place(1699.0) == SparsePlace::kFile);
  }
}

}  // namespace mlp::datasets
