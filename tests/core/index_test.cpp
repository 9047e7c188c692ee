// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/index.hpp"

#include <doctest/doctest.h>

#include <type_traits>

#include "../../core/types.hpp"

namespace {

TEST_SUITE("core/index") {
  TEST_CASE("is the type of Eigen's indices") {
    CHECK(std::is_same_v<mlp::Index, Eigen::Index>);
  }
}

}  // namespace
