// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/feature_moments.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp::datasets {

namespace {

/// Rounding of sums over a hundred values or fewer.
constexpr double kRounding = 1e-13;

}  // namespace

TEST_SUITE("datasets/feature_moments") {
  // Weights 1, 3: mean (1 + 15) / 4 = 4; squares 1 * 9 + 3 * 1 = 12; 12 / 3 = 4.
  TEST_CASE("weighs the mean and divides squares by the weights less one") {
    const FeatureMoments moments =
        FeatureMoments::of(Matrix{{1, 5}}, Eigen::Vector2d(1, 3));

    CHECK(moments.mean()[0] == doctest::Approx(4).epsilon(kRounding));
    CHECK(moments.standard_deviation()[0] ==
          doctest::Approx(2).epsilon(kRounding));
  }

  // Weights 1/4, 3/4: the squares are 3; the divisor is 1/2.
  TEST_CASE("divides by half the weights if they sum to less than two") {
    const FeatureMoments moments =
        FeatureMoments::of(Matrix{{1, 5}}, Eigen::Vector2d(0.25, 0.75));

    CHECK(moments.mean()[0] == doctest::Approx(4).epsilon(kRounding));
    CHECK(moments.standard_deviation()[0] ==
          doctest::Approx(std::sqrt(6.0)).epsilon(kRounding));
  }

  TEST_CASE("ignores instances of weight 0") {
    const FeatureMoments moments =
        FeatureMoments::of(Matrix{{1, 1e300, 5}}, Eigen::Vector3d(1, 0, 1));

    CHECK(moments.weight_sum == 2.0);
    CHECK(moments.mean()[0] == doctest::Approx(3).epsilon(kRounding));
  }

  TEST_CASE("gives a constant feature a deviation of exactly 0") {
    const Matrix features = Matrix::Constant(1, 3, 0.1);
    FeatureMoments moments =
        FeatureMoments::of(features, Eigen::Vector3d(3, 0.7, 2.1));

    moments.merge(FeatureMoments::of(features, Eigen::Vector3d(0.3, 1, 7)));

    CHECK(moments.mean()[0] == doctest::Approx(0.1).epsilon(kRounding));
    CHECK(moments.standard_deviation()[0] == 0.0);
  }

  TEST_CASE("merges parts to the moments of the whole table") {
    Matrix features = Matrix::Random(3, 40);
    features.row(1).head(25).setZero();
    const Vector weights = Vector::Random(40).array() + 2.0;
    FeatureMoments merged(3);

    merged.merge(FeatureMoments::of(features.leftCols(25), weights.head(25)));
    merged.merge(FeatureMoments::of(Matrix(3, 0)));
    merged.merge(FeatureMoments::of(features.rightCols(15), weights.tail(15)));

    const FeatureMoments whole = FeatureMoments::of(features, weights);
    CHECK(merged.mean().isApprox(whole.mean(), kRounding));
    CHECK(merged.standard_deviation().isApprox(whole.standard_deviation(),
                                               kRounding));
  }

  TEST_CASE("refuses another number of weights") {
    CHECK_THROWS_WITH_AS(
        FeatureMoments::of(Matrix{{1, 2}}, Eigen::Vector3d(1, 1, 1)),
        "weights must be 2, one per instance; got 3", ShapeError);
  }
}

}  // namespace mlp::datasets
