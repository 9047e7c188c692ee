// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/params.hpp"

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

TEST_SUITE("mlp/params/params") {
  TEST_CASE("starts with the defaults of Spark") {
    const Params params;

    CHECK(params.max_iter == 100);
    CHECK(params.tol == 1e-6);
    CHECK(params.block_size == 128);
    CHECK(params.solver == Solver::kLbfgs);
    CHECK(params.seed_hash == SeedHash::kSpark3);
  }

  TEST_CASE("leaves unset what has no default in Spark") {
    const Params params;

    CHECK(params.layers.empty());
    CHECK_FALSE(params.step_size.has_value());
    CHECK_FALSE(params.initial_weights.has_value());
    CHECK(params.thresholds.empty());
  }

  TEST_CASE("starts without anything that Spark lacks") {
    const Params params;

    CHECK(params.task == Task::kClassification);
    CHECK(params.activation.empty());
    CHECK(params.init == Initialization::kSpark);
    CHECK_FALSE(params.residual);
    CHECK_FALSE(params.batch_norm);
    CHECK(params.dropout.empty());
    CHECK(params.reg_param == 0.0);
    CHECK(params.class_weights.empty());
    CHECK(params.label_smoothing == 0.0);
    CHECK(params.clip_norm == 0.0);
    CHECK(params.clip_value == 0.0);
    CHECK(params.schedule == optim::StepSchedule{});
    CHECK(params.freeze.empty());
  }

  TEST_CASE("takes the step size of Spark or of PyTorch where none is set") {
    Params params;

    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent}) {
      params.solver = solver;
      CHECK(resolved_step_size(params) == 0.03);
      CHECK_FALSE(has_mini_batches(solver));
    }
    for (const Solver solver : {Solver::kSgd, Solver::kAdam, Solver::kAdamW}) {
      params.solver = solver;
      CHECK(resolved_step_size(params) == 0.001);
      CHECK(has_mini_batches(solver));
    }
    params.step_size = 2.0;
    CHECK(resolved_step_size(params) == 2.0);
  }

  TEST_CASE("takes the hash of Spark's class name for the default seed") {
    CHECK(Params{}.seed == java_hash_code("org.apache.spark.ml.classification."
                                          "MultilayerPerceptronClassifier"));
  }
}

}  // namespace mlp
