// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../distributed/identity.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace mlp::distributed {

TEST_SUITE("distributed/identity") {
  TEST_CASE("leaves numbers and texts as they are") {
    Identity identity;
    std::array<double, 2> numbers{1.5, -0.0};
    std::array<Float16, 1> halves{Float16(0.25f)};

    identity.sum(std::span<double>(numbers));
    identity.sum(std::span<Float16>(halves));

    CHECK(identity.rank() == 0);
    CHECK(identity.world_size() == 1);
    CHECK(numbers == std::array<double, 2>{1.5, -0.0});
    CHECK(static_cast<float>(halves[0]) == 0.25f);
    CHECK(identity.all_gather("text") == std::vector<std::string>{"text"});
  }
}

}  // namespace mlp::distributed
