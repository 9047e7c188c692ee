// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/params.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

namespace mlp {

namespace {

/// java.lang.String.hashCode of an ASCII text.
std::int32_t java_hash_code(std::string_view text) {
  std::uint32_t hash = 0;
  for (const char letter : text) {
    hash = 31 * hash + static_cast<std::uint32_t>(letter);
  }
  return static_cast<std::int32_t>(hash);
}

}  // namespace

TEST_SUITE("mlp/params") {
  TEST_CASE("starts with the defaults of Spark") {
    const Params params;

    CHECK(params.max_iter == 100);
    CHECK(params.tol == 1e-6);
    CHECK(params.block_size == 128);
    CHECK(params.solver == Solver::kLbfgs);
    CHECK(params.step_size == 0.03);
    CHECK(params.seed_hash == SeedHash::kSpark3);
  }

  TEST_CASE("leaves unset what has no default in Spark") {
    const Params params;

    CHECK(params.layers.empty());
    CHECK_FALSE(params.initial_weights.has_value());
    CHECK(params.thresholds.empty());
  }

  TEST_CASE("takes the hash of Spark's class name for the default seed") {
    CHECK(Params{}.seed == java_hash_code("org.apache.spark.ml.classification."
                                          "MultilayerPerceptronClassifier"));
  }
}

}  // namespace mlp
