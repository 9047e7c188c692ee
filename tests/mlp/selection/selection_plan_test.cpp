// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_plan.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/selection/selection_plan") {
  TEST_CASE("larger tables take fewer folds and networks") {
    const auto iris = plan_selection(150, 515);
    const auto larger = plan_selection(200'000, 2'000);

    CHECK(iris->num_folds == 5);
    CHECK(iris->num_networks == 5);
    CHECK(larger->num_folds == 3);
    CHECK(larger->num_networks == 3);
    CHECK(!plan_selection(10'000'000, 10'000));
  }
}

}  // namespace mlp
