// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/distribution.hpp"

#include <doctest/doctest.h>

#include "../../mlp/fit_options.hpp"

namespace mlp {

TEST_SUITE("mlp/distribution") {
  TEST_CASE("trains alone unless it is told otherwise") {
    const FitOptions options;

    CHECK(options.distribution.allreduce == nullptr);
    CHECK_FALSE(options.distribution.is_reproducible);
    CHECK(options.distribution.partition_sizes.empty());
  }
}

}  // namespace mlp
