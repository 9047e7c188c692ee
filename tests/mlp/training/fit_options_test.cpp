// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/fit_options.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp {

TEST_SUITE("mlp/training/fit_options") {
  TEST_CASE("starts with the reference in double precision and one thread") {
    const FitOptions options;

    CHECK(std::string(options.backend->name()) == "reference");
    CHECK(options.precision == Precision::kFloat64);
    CHECK(options.num_threads == 1);
  }

  TEST_CASE("starts without anyone who watches, stops, validates or saves") {
    const FitOptions options;

    CHECK_FALSE(options.on_iteration);
    CHECK(options.is_stopping == nullptr);
    CHECK(options.validation == nullptr);
    CHECK(options.warm_start == nullptr);
    CHECK_FALSE(options.checkpoint.is_due);
    CHECK_FALSE(options.checkpoint.write);
    CHECK(options.checkpoint.state.empty());
  }
}

}  // namespace mlp
