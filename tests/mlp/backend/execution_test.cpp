// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/execution.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/backend/execution") {
  TEST_CASE("computes by the reference, in double precision, on one thread") {
    const Execution execution;

    CHECK(execution.backend == &reference_backend());
    CHECK(execution.precision == Precision::kFloat64);
    CHECK(execution.num_threads == 1);
    CHECK(execution.is_stopping == nullptr);
  }
}

}  // namespace mlp
