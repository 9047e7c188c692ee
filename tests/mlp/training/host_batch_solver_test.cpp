// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/host_batch_solver.hpp"

#include <doctest/doctest.h>

#include "../../../mlp/params/params.hpp"

namespace {

using namespace mlp;

Params make_params(Solver solver) {
  Params params;
  params.solver = solver;
  params.reg_param = 0.25;
  params.momentum = 0.5;
  params.nesterov = true;
  return params;
}

TEST_SUITE("mlp/training/host_batch_solver") {
  TEST_CASE("passes momentum to sgd") {
    const BatchRule rule = mlp::batch_rule(make_params(Solver::kSgd));

    const auto& options = std::get<mlp::optim::SgdOptions>(rule);
    CHECK(options.momentum == 0.5);
    CHECK(options.is_nesterov);
  }

  TEST_CASE("passes its rates to adam") {
    Params params = make_params(Solver::kAdam);
    params.beta1 = 0.5;
    params.beta2 = 0.75;
    params.epsilon = 0.125;

    const BatchRule rule = mlp::batch_rule(params);

    const auto& options = std::get<mlp::optim::AdamOptions>(rule);
    CHECK(options.beta1 == 0.5);
    CHECK(options.beta2 == 0.75);
    CHECK(options.epsilon == 0.125);
  }

  TEST_CASE("lets adam decay through the gradient, and adamw apart from it") {
    const BatchRule adam = mlp::batch_rule(make_params(Solver::kAdam));
    const BatchRule adamw = mlp::batch_rule(make_params(Solver::kAdamW));

    CHECK(std::get<mlp::optim::AdamOptions>(adam).weight_decay == 0.0);
    CHECK(std::get<mlp::optim::AdamOptions>(adamw).weight_decay == 0.25);
  }
}

}  // namespace
