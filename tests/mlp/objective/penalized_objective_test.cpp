// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/penalized_objective.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

// What clip_by_norm() adds to the norm moves the result by this share.
constexpr double kClipRounding = 1e-6;

/// Layers 1, 2, 1: weights 0 and 1, biases 2 and 3, weights 4 and 5, bias 6.
Params params_of(Solver solver = Solver::kGradientDescent) {
  Params params;
  params.layers = {1, 2, 1};
  params.solver = solver;
  return params;
}

Penalty penalty_of(const Params& params) {
  return make_penalty(Topology(params.layers), params);
}

/// 3 times the first weight plus 4 times the last but one, and a constant.
struct Linear {
  double value_and_gradient(const Vector& x, Vector& gradient) const {
    gradient = Vector::Zero(7);
    gradient[0] = 3.0;
    gradient[5] = 4.0;
    return 3.0 * x[0] + 4.0 * x[5] + 10.0;
  }
};

/// The gradient of Linear at weights 1 .. 7.
Vector linear_gradient(const Params& params) {
  Linear linear;
  PenalizedObjective objective(linear, penalty_of(params));
  Vector gradient(7);
  objective.value_and_gradient(Vector::LinSpaced(7, 1.0, 7.0), gradient);
  return gradient;
}

}  // namespace

TEST_SUITE("mlp/objective/penalized_objective") {
  TEST_CASE("adds half regParam times the squared weights without biases") {
    // Weights 1, 2, 5 and 6 decay: 0.1 / 2 (1 + 4 + 25 + 36) = 3.3.
    Params params = params_of();
    params.reg_param = 0.1;
    const Vector weights = Vector::LinSpaced(7, 1.0, 7.0);
    Vector gradient = Vector::Ones(7);
    Vector expected(7);
    expected << 1.1, 1.2, 1.0, 1.0, 1.5, 1.6, 1.0;

    const double penalty = apply_penalty(penalty_of(params), weights, gradient);

    CHECK(penalty == doctest::Approx(3.3).epsilon(kRounding));
    CHECK(gradient.isApprox(expected, kRounding));
  }

  TEST_CASE("penalises in single precision with a sum in double") {
    Params params = params_of(Solver::kAdam);
    params.reg_param = 0.5;
    const Eigen::VectorXf weights = Eigen::VectorXf::LinSpaced(7, 1.0F, 7.0F);
    Eigen::VectorXf gradient = Eigen::VectorXf::Zero(7);

    const double penalty = apply_penalty(penalty_of(params), weights, gradient);

    CHECK(penalty == 0.25 * 66.0);
    CHECK(gradient[5] == 3.0F);
  }

  TEST_CASE("leaves the decay of adamw to its rule") {
    Params params = params_of(Solver::kAdamW);
    params.reg_param = 0.1;
    const Vector weights = Vector::Ones(7);
    Vector gradient = Vector::Zero(7);

    CHECK(apply_penalty(penalty_of(params), weights, gradient) == 0.0);
    CHECK(gradient == Vector::Zero(7));
  }

  TEST_CASE("bounds elements, then the length") {
    Params params = params_of();

    params.clip_value = 3.5;
    CHECK(linear_gradient(params)[0] == 3.0);
    CHECK(linear_gradient(params)[5] == 3.5);
    params.clip_value = 0.0;
    params.clip_norm = 1.0;
    CHECK(linear_gradient(params)[0] ==
          doctest::Approx(0.6).epsilon(kClipRounding));
    params.clip_value = 1.0;
    CHECK(linear_gradient(params)[5] ==
          doctest::Approx(std::sqrt(0.5)).epsilon(kClipRounding));
  }

  TEST_CASE("clips the gradient of the penalty too") {
    Params params = params_of();
    params.reg_param = 100.0;
    params.clip_value = 2.0;

    CHECK(linear_gradient(params).maxCoeff() == 2.0);
  }

  TEST_CASE("zeroes the gradient of frozen layers and does not penalise them") {
    Params params = params_of();
    params.freeze = {1};
    params.reg_param = 2.0;
    Linear linear;
    PenalizedObjective objective(linear, penalty_of(params));
    Vector gradient(7);
    Vector expected = Vector::Zero(7);
    expected.tail(3) << 10.0, 16.0, 0.0;

    // 10 + 3 + 24 of the objective, 25 + 36 of the penalty.
    CHECK(objective.value_and_gradient(Vector::LinSpaced(7, 1.0, 7.0),
                                       gradient) == 98.0);
    CHECK(gradient == expected);
  }

  TEST_CASE("zeroes everything where all layers are frozen") {
    Params params = params_of();
    params.freeze = {1, 2};

    CHECK(linear_gradient(params) == Vector::Zero(7));
  }
}

}  // namespace mlp
