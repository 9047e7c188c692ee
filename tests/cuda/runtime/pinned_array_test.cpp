// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/pinned_array.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace {

using mlp::cuda::PinnedArray;

TEST_SUITE("cuda/runtime/pinned_array") {
  TEST_CASE("holds numbers of the host") {
    PinnedArray<double> array(2);

    array[0] = 1.5;
    array[1] = 2.5;

    CHECK(array.size() == 2);
    CHECK(array.data()[1] == 2.5);
  }

  TEST_CASE("moves its memory") {
    PinnedArray<int> array(1);
    array[0] = 7;

    PinnedArray<int> moved = std::move(array);
    PinnedArray<int> assigned;
    assigned = std::move(moved);

    CHECK(assigned[0] == 7);
  }
}

}  // namespace
