// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/converting_plan.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "../../../mlp/backend/reference_backend.hpp"

namespace mlp {
namespace {

/// raw = W x + b with W = (1 2, 3 4) and b = (5, 6).
std::unique_ptr<ScoringPlan> make_affine_plan() {
  const Topology topology({2, 2});
  Vector weights(6);
  weights << 1, 3, 2, 4, 5, 6;
  return reference_backend().make_plan(topology, weights.data(),
                                       Precision::kFloat64);
}

}  // namespace

TEST_SUITE("mlp/backend/converting_plan") {
  TEST_CASE("computes raw predictions after the caller's weights are gone") {
    const auto plan = make_affine_plan();
    const double features[] = {1, 10, 0, -1};
    double raw[4];

    plan->compute_raw(features, 2, raw);

    CHECK(raw[0] == 1 + 20 + 5);
    CHECK(raw[1] == 3 + 40 + 6);
    CHECK(raw[2] == -2 + 5);
    CHECK(raw[3] == -4 + 6);
  }

  TEST_CASE("computes single precision through double") {
    const auto plan = make_affine_plan();
    const float features[] = {0.5F, 0.25F};
    float raw[2];

    plan->compute_raw(features, 1, raw);

    CHECK(raw[0] == 0.5F + 0.5F + 5.0F);
    CHECK(raw[1] == 1.5F + 1.0F + 6.0F);
  }

  TEST_CASE("does not round the outputs of single precision") {
    const auto plan = make_affine_plan();
    const float features[] = {0.1F, 0.3F};
    const double wide[] = {0.1F, 0.3F};
    double raw[2];
    double expected[2];

    plan->compute_raw(features, 1, raw);
    plan->compute_raw(wide, 1, expected);

    CHECK(raw[0] == expected[0]);
    CHECK(raw[1] == expected[1]);
  }

  TEST_CASE("is made by the reference, in double precision alone") {
    const Topology topology({1, 1});
    const Vector weights = Vector::Ones(2);

    const auto plan = reference_backend().make_plan(topology, weights.data(),
                                                    Precision::kFloat64);

    const Vector features = Vector::Constant(1, 2.0);
    Vector raw(1);
    plan->compute_raw(features.data(), 1, raw.data());
    CHECK(raw[0] == 3.0);
    CHECK_THROWS_WITH_AS(reference_backend().make_plan(topology, weights.data(),
                                                       Precision::kFloat32),
                         "precision must be float64 for the reference backend; "
                         "got float32; use the CPU kernels for float32",
                         ParamError);
  }
}

}  // namespace mlp
