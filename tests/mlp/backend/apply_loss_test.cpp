// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/apply_loss.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>

namespace mlp {

namespace {

constexpr std::array<std::int32_t, 2> kLabels{0, 1};
constexpr std::array<double, 4> kTargets{9.0, 9.0, 0.25, 0.75};

/// Of the second of two instances.
double apply(const LossFunction& loss, Vector& z, double weight = 3.0,
             Likelihood likelihood = Likelihood::kOfProbabilities) {
  InstanceRange instances;
  instances.size = 2;
  instances.labels = kLabels.data();
  instances.targets = kTargets.data();
  return apply_loss(loss, likelihood, instances, 1, weight, z);
}

const Vector kOutputs{{0.5, -1.0}};
const Vector kTarget{{0.25, 0.75}};

}  // namespace

TEST_SUITE("mlp/backend/apply_loss") {
  TEST_CASE("takes the label of the instance for the negative log likelihood") {
    Vector z = kOutputs;
    Vector expected = kOutputs;

    CHECK(apply({}, z) == softmax_nll(expected, 1, 3.0));
    CHECK(z == expected);
  }

  TEST_CASE("computes the likelihood by log-sum-exp if asked to") {
    Vector z{{1000.0, 0.0}};
    Vector spark = z;

    CHECK(apply({}, z, 3.0, Likelihood::kLogSumExp) == 3000.0);
    CHECK(z == Vector{{3.0, -3.0}});
    CHECK(apply({}, spark) == std::numeric_limits<double>::infinity());
  }

  TEST_CASE("adds nothing for an instance of weight 0") {
    constexpr double kHuge = 1e200;
    for (const Loss loss :
         {Loss::kSoftmaxNll, Loss::kSigmoidSquaredError, Loss::kSquaredError}) {
      Vector z{{kHuge, -kHuge}};

      CHECK(apply(loss, z, 0.0) == 0.0);
      CHECK(z == Vector::Zero(2));
    }
  }

  TEST_CASE("smooths the label where the loss says so") {
    Vector z = kOutputs;
    Vector expected = kOutputs;

    CHECK(apply({Loss::kSoftmaxNll, 0.2}, z) ==
          log_softmax_nll(expected, 1, 0.2, 3.0));
    CHECK(z == expected);
  }

  TEST_CASE("takes the targets of the instance for the squared errors") {
    Vector z = kOutputs;
    Vector expected = kOutputs;

    CHECK(apply(Loss::kSigmoidSquaredError, z) ==
          sigmoid_squared_error(expected, kTarget, 3.0));
    CHECK(z == expected);
    z = expected = kOutputs;
    CHECK(apply(Loss::kSquaredError, z) ==
          squared_error(expected, kTarget, 3.0));
    CHECK(z == expected);
  }

  // z - t = (0.25, -1.75): 3 (0.0625 + 3.0625) / 2 = 4.6875.
  TEST_CASE("computes a worked example") {
    Vector z = kOutputs;

    CHECK(apply(Loss::kSquaredError, z) == 4.6875);
    CHECK(z == Vector{{0.75, -5.25}});
  }
}

}  // namespace mlp
