// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/update_rule.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

// What Adam adds to the root of the second moment moves a step by this share.
constexpr double kAdamEpsilon = 1e-7;

/// The weight, at first 1, after steps of 0.1 with gradient 0.5.
double weight_after(const Params& params, int num_steps) {
  auto rule = make_update_rule<double>(params, 1);
  Vector weights = Vector::Ones(1);
  for (int step = 0; step < num_steps; ++step) {
    Vector gradient = Vector::Constant(1, 0.5);
    std::visit(
        [&](auto& some) {
          some.begin_step(0.1);
          some.update({0, 1, true}, weights, gradient);
        },
        rule);
  }
  return weights[0];
}

Params params_of(Solver solver) {
  Params params;
  params.solver = solver;
  return params;
}

}  // namespace

TEST_SUITE("mlp/training/update_rule") {
  TEST_CASE("makes the rule of sgd without momentum") {
    CHECK(weight_after(params_of(Solver::kSgd), 2) ==
          doctest::Approx(1.0 - 2 * 0.05).epsilon(kRounding));
  }

  TEST_CASE("hands momentum to sgd") {
    // Steps 0.1 * 0.5 and 0.1 * (0.5 + 0.9 * 0.5).
    Params params = params_of(Solver::kSgd);
    params.momentum = 0.9;

    CHECK(weight_after(params, 2) ==
          doctest::Approx(1.0 - 0.05 - 0.095).epsilon(kRounding));
  }

  TEST_CASE("hands nesterov to sgd") {
    // Steps 0.1 * (g + 0.9 v), v = 0.5 and 0.95.
    Params params = params_of(Solver::kSgd);
    params.momentum = 0.9;
    params.nesterov = true;

    CHECK(weight_after(params, 2) ==
          doctest::Approx(1.0 - 0.095 - 0.1355).epsilon(kRounding));
  }

  TEST_CASE("makes the rule of adam, without a decay of its own") {
    Params params = params_of(Solver::kAdam);
    params.reg_param = 0.5;

    CHECK(weight_after(params, 1) ==
          doctest::Approx(1.0 - 0.1).epsilon(kAdamEpsilon));
  }

  TEST_CASE("hands regParam to adamw as its decay") {
    // 1 - 0.1 * 0.5 of the decay, then a step of 0.1.
    Params params = params_of(Solver::kAdamW);
    params.reg_param = 0.5;

    CHECK(weight_after(params, 1) ==
          doctest::Approx(0.95 - 0.1).epsilon(kAdamEpsilon));
  }

  TEST_CASE("makes rules in single precision") {
    CHECK(std::holds_alternative<optim::Sgd<float>>(
        make_update_rule<float>(params_of(Solver::kSgd), 3)));
    CHECK(std::holds_alternative<optim::Adam<float>>(
        make_update_rule<float>(params_of(Solver::kAdamW), 3)));
  }
}

}  // namespace mlp
