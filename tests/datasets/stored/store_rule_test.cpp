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
}

}  // namespace mlp::datasets
