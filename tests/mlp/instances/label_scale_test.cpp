// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/instances/label_scale.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../../mlp/network/topology.hpp"

namespace mlp {

namespace {

/// Rounding of a few operations.
constexpr double kRounding = 1e-13;

datasets::FeatureMoments moments_of(const Matrix& labels) {
  return datasets::FeatureMoments::of(labels);
}

Topology regression(const std::vector<Index>& layers) {
  return Topology(layers, LossFunction(Loss::kSquaredError));
}

}  // namespace

TEST_SUITE("mlp/instances/label_scale") {
  // Mean 4, deviations -3, -1, 4: (9 + 1 + 16) / 2 = 13.
  TEST_CASE("subtracts the mean and divides by the deviation") {
    const LabelScale scale = LabelScale::of(moments_of(Matrix{{1, 3, 8}}));

    const Matrix scaled = scale.apply(Matrix{{4, 4 + std::sqrt(13.0)}});

    CHECK(scaled.isApprox(Matrix{{0, 1}}, kRounding));
  }

  TEST_CASE("leaves the unit of constant labels") {
    const LabelScale scale = LabelScale::of(moments_of(Matrix{{7, 7, 7}}));

    CHECK(scale == LabelScale{Vector{{7.0}}, Vector{{1.0}}});
  }

  TEST_CASE("converts only the weights of the output, and back") {
    const LabelScale scale{Vector{{10.0}}, Vector{{2.0}}};
    const Topology topology = regression({1, 2, 1});
    const Vector weights = Vector::LinSpaced(7, 1.0, 7.0);
    Vector converted = weights;

    scale.restore_output(topology, converted);

    CHECK(converted.head(4) == weights.head(4));
    CHECK(converted.tail(3) == Eigen::Vector3d(10, 12, 24));
    scale.scale_output(topology, converted);
    CHECK(converted.isApprox(weights, kRounding));
  }

  TEST_CASE("scales each of several outputs by itself") {
    const LabelScale scale =
        LabelScale::of(moments_of(Matrix{{1, 3, 5}, {7, 7, 7}}));
    const Topology topology = regression({1, 2});
    const Vector weights{{1, 2, 3, 4}};  // W [2 x 1], then the biases
    Vector converted = weights;

    scale.restore_output(topology, converted);

    CHECK(scale == LabelScale{Vector{{3, 7}}, Vector{{2, 1}}});
    CHECK(scale.apply(Matrix{{5}, {8}}) == Matrix{{1}, {1}});
    CHECK(converted == Vector{{2, 2, 9, 11}});
    scale.scale_output(topology, converted);
    CHECK(converted == weights);
  }

  TEST_CASE("refuses labels whose variance overflows") {
    CHECK_THROWS_WITH_AS(
        LabelScale::of(moments_of(Matrix{{1e200, -1e200}})),
        "labels must be below 1e154 to be standardised, because their squares "
        "are summed; divide them by a constant, or train without standardising",
        DataError);
  }
}

}  // namespace mlp
