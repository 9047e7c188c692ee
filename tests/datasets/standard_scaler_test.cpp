// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../datasets/standard_scaler.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace mlp::datasets {

namespace {

/// Rounding of sums over a hundred values or fewer.
constexpr double kRounding = 1e-13;

}  // namespace

TEST_SUITE("datasets/standard_scaler") {
  // Mean 4, deviations -3, -1, 4: (9 + 1 + 16) / 2 = 13.
  TEST_CASE("takes the mean and the standard deviation with n minus one") {
    const StandardScaler scaler = StandardScaler::fit(Matrix{{1, 3, 8}});

    CHECK(scaler.mean[0] == doctest::Approx(4).epsilon(kRounding));
    CHECK(scaler.standard_deviation[0] ==
          doctest::Approx(std::sqrt(13.0)).epsilon(kRounding));
  }

  // Mean 2, deviations -2, -2, -2, 6: (4 + 4 + 4 + 36) / 3 = 16.
  TEST_CASE("leaves the features as they are that it keeps") {
    Matrix features{{1, 3}, {0, 1}};
    StandardScaler scaler = StandardScaler::fit(features);

    scaler.keep({false, true});
    scaler.apply(features);

    CHECK(features.row(1) == Matrix{{0, 1}}.row(0));
    CHECK(features(0, 0) == -features(0, 1));
    CHECK(scaler.mean == Vector{{2, 0}});
  }

  TEST_CASE("counts zeros as values") {
    const StandardScaler scaler = StandardScaler::fit(Matrix{{0, 0, 0, 8}});

    CHECK(scaler.mean[0] == doctest::Approx(2).epsilon(kRounding));
    CHECK(scaler.standard_deviation[0] ==
          doctest::Approx(4).epsilon(kRounding));
  }

  TEST_CASE("agrees with two passes on random features") {
    Matrix features = Matrix::Random(3, 100);
    features(1, 7) = 0.0;
    const Vector mean = features.rowwise().mean();
    const Matrix deviations = features.colwise() - mean;
    const Vector expected =
        (deviations.rowwise().squaredNorm() / 99.0).cwiseSqrt();

    const StandardScaler scaler = StandardScaler::fit(features);

    CHECK(scaler.mean.isApprox(mean, kRounding));
    CHECK(scaler.standard_deviation.isApprox(expected, kRounding));
  }

  TEST_CASE("loses no digits to a large mean") {
    const StandardScaler scaler =
        StandardScaler::fit(Matrix{{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}});

    CHECK(scaler.standard_deviation[0] ==
          doctest::Approx(std::sqrt(30.0)).epsilon(1e-9));
  }

  TEST_CASE("gives scaled features mean zero and deviation one") {
    Matrix features = 5.0 * Matrix::Random(2, 50);
    features.array() += 3.0;

    StandardScaler::fit(features).apply(features);

    const StandardScaler scaled = StandardScaler::fit(features);
    CHECK(scaled.mean.cwiseAbs().maxCoeff() < kRounding);
    CHECK(scaled.standard_deviation.isApprox(Vector::Ones(2), kRounding));
  }

  TEST_CASE("turns constant features into zeros") {
    Matrix features = Matrix::Constant(1, 9, 0.1);

    const StandardScaler scaler = StandardScaler::fit(features);
    scaler.apply(features);

    CHECK(scaler.standard_deviation[0] == 0.0);
    CHECK(features.cwiseAbs().maxCoeff() == 0.0);
  }

  TEST_CASE("gives one instance the deviation zero") {
    Matrix features{{3}, {0}};

    const StandardScaler scaler = StandardScaler::fit(features);

    CHECK(scaler.mean == Eigen::Vector2d(3, 0));
    CHECK(scaler.standard_deviation == Eigen::Vector2d(0, 0));
  }

  TEST_CASE("counts an instance of weight 2 as two equal instances") {
    const Matrix features{{1, 3, 8, 0}, {0, 0, -2, 7}};
    const Matrix repeated{{1, 1, 3, 8, 8, 8, 0}, {0, 0, 0, -2, -2, -2, 7}};

    const StandardScaler weighted =
        StandardScaler::fit(features, Eigen::Vector4d(2, 1, 3, 1));

    const StandardScaler expected = StandardScaler::fit(repeated);
    CHECK(weighted.mean.isApprox(expected.mean, kRounding));
    CHECK(weighted.standard_deviation.isApprox(expected.standard_deviation,
                                               kRounding));
  }

  TEST_CASE("gives the same without weights as with weights of 1") {
    const Matrix features = Matrix::Random(3, 50);

    const StandardScaler weighted =
        StandardScaler::fit(features, Vector::Ones(50));

    const StandardScaler expected = StandardScaler::fit(features);
    CHECK(weighted.mean.isApprox(expected.mean, kRounding));
    CHECK(weighted.standard_deviation.isApprox(expected.standard_deviation,
                                               kRounding));
  }

  TEST_CASE("refuses to fit no instance and to scale another width") {
    CHECK_THROWS_WITH_AS(
        StandardScaler::fit(Matrix(2, 0)),
        "features must have at least one instance with a weight > 0 to be "
        "standardised; got none",
        ShapeError);
    Matrix features(3, 1);
    CHECK_THROWS_WITH_AS(StandardScaler::fit(Matrix{{1}, {2}}).apply(features),
                         "features must have 2 rows as the scaler has, got 3",
                         ShapeError);
  }

  TEST_CASE("names the value whose square overflows the variance") {
    Dataset data;
    data.features = Matrix{{1, 2, 3}, {1, -1e200, 4}};
    data.feature_names = {"width", "height"};
    data.source = "rows.csv";
    data.lines = {2, 3, 5};

    CHECK_THROWS_WITH_AS(
        StandardScaler::fit(data),
        "rows.csv:3: features must be below 1e154 to be standardised, because "
        "their squares are summed; feature 1 ('height') of instance 1 is "
        "-1e+200; correct or scale it, or train without standardising",
        DataError);
  }

  TEST_CASE("names the weight that overflows the variance of small values") {
    Dataset data;
    data.features = Matrix{{4, 3e5}};
    data.weights = Vector{{1e300, 1e300}};
    data.source = "rows.csv";

    CHECK_THROWS_WITH_AS(
        StandardScaler::fit(data),
        "rows.csv: the weights are too large to standardise the features, "
        "because their products with squares of features are summed; the "
        "largest weight is 1e+300; divide the weights by a constant, or train "
        "without standardising",
        DataError);
  }

  TEST_CASE("refuses values whose difference overflows") {
    Dataset data;
    data.features = Matrix{{1.5e308, -1.6e308}};

    CHECK_THROWS_AS(StandardScaler::fit(data), DataError);
  }

  TEST_CASE("standardises a dataset of large values as their matrix") {
    Dataset data;
    data.features = Matrix{{1e153, -1e153, 2e152}};

    const StandardScaler scaler = StandardScaler::fit(data);

    CHECK(std::isfinite(scaler.standard_deviation[0]));
    CHECK(scaler.standard_deviation ==
          StandardScaler::fit(data.features).standard_deviation);
  }
}

}  // namespace mlp::datasets
