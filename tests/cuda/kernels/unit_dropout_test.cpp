// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/unit_dropout.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace mlp::cuda {

namespace {

TEST_SUITE("cuda/kernels/unit_dropout") {
  TEST_CASE("reads the seed only if there is dropout") {
    const UnitDropout none;

    CHECK(none.mask().factor(3, 4) == 1.0);
  }

  TEST_CASE("has the mask of the layer and the seed") {
    const std::uint64_t seed = 17;
    const UnitDropout dropout{2, 0.5, &seed, nullptr};
    const DropoutMask expected(17, 2, 0.5);

    int num_equal = 0;
    for (Index unit = 0; unit < 100; ++unit) {
      num_equal +=
          dropout.mask().factor(5, unit) == expected.factor(5, unit) ? 1 : 0;
    }

    CHECK(num_equal == 100);
  }

  TEST_CASE("identifies instances by their places if there are any") {
    const std::vector<Index> places = {7, 5};
    UnitDropout dropout;

    CHECK(dropout.place_of(1) == 1);
    dropout.places = places.data();
    CHECK(dropout.place_of(1) == 5);
  }
}

}  // namespace

}  // namespace mlp::cuda
