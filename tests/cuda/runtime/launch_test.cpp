// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/launch.hpp"

#include <doctest/doctest.h>

namespace {

using mlp::cuda::striding_grid;

TEST_SUITE("cuda/runtime/launch") {
  TEST_CASE("takes as many blocks as the elements fill") {
    CHECK(striding_grid(1).num_blocks == 1);
    CHECK(striding_grid(256).num_blocks == 1);
    CHECK(striding_grid(257).num_blocks == 2);
    CHECK(striding_grid(257, 32).num_blocks == 9);
  }

  TEST_CASE("limits the blocks, and takes one for no elements") {
    CHECK(striding_grid(0).num_blocks == 1);
    CHECK(striding_grid(mlp::Index{1} << 40).num_blocks ==
          mlp::cuda::kMaxStridingBlocks);
  }
}

}  // namespace
