// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/regression_metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <utility>

namespace mlp {

namespace {

// A few roundings of numbers near 1.
constexpr double kRounding = 1e-14;

Vector vector_of(std::initializer_list<double> numbers) {
  return Eigen::Map<const Vector>(numbers.begin(),
                                  static_cast<Index>(numbers.size()));
}

}  // namespace

TEST_SUITE("mlp/model/regression_metrics") {
  TEST_CASE("computes Spark's definitions") {
    // Errors 1, 0, -2 and 1: squares 1 + 0 + 4 + 1 = 6. The labels deviate
    // from their mean 2.5 by squares 2.25 + 0.25 + 0.25 + 2.25 = 5.
    const RegressionMetrics metrics =
        measure_regression(vector_of({1, 2, 3, 4}), vector_of({0, 2, 5, 3}));

    CHECK(metrics.num_instances == 4);
    CHECK(metrics.rmse == doctest::Approx(std::sqrt(1.5)).epsilon(kRounding));
    CHECK(metrics.mae == 1.0);
    CHECK(metrics.r2 == doctest::Approx(-0.2).epsilon(kRounding));
  }

  TEST_CASE("counts a bias of the predictions as error") {
    // Every prediction is 2 too large: squares 4 * 4 = 16, deviation 5.
    const RegressionMetrics metrics =
        measure_regression(vector_of({1, 2, 3, 4}), vector_of({3, 4, 5, 6}));

    CHECK(metrics.rmse == 2.0);
    CHECK(metrics.mae == 2.0);
    CHECK(metrics.r2 == doctest::Approx(1.0 - 16.0 / 5.0).epsilon(kRounding));
  }

  TEST_CASE("unites the sums of parts, empty ones too") {
    const Vector labels = vector_of({1001, 1002, 1003, 1004, 1009});
    const Vector predictions = vector_of({1000, 1002, 1005, 1003, 1007});
    const RegressionMetrics whole = measure_regression(labels, predictions);

    RegressionSums sums;
    for (const auto& [begin, size] :
         {std::pair{0, 0}, {0, 2}, {2, 0}, {2, 3}}) {
      sums.add(RegressionSums::of(labels.segment(begin, size),
                                  predictions.segment(begin, size)));
    }

    const RegressionMetrics united = sums.metrics();
    CHECK(united.num_instances == 5);
    CHECK(united.rmse == doctest::Approx(whole.rmse).epsilon(kRounding));
    CHECK(united.mae == doctest::Approx(whole.mae).epsilon(kRounding));
    CHECK(united.r2 == doctest::Approx(whole.r2).epsilon(kRounding));
  }

  TEST_CASE("gives perfect predictions no error") {
    const Vector labels = vector_of({-1, 0.5, 7});

    const RegressionMetrics metrics = measure_regression(labels, labels);

    CHECK(metrics.rmse == 0.0);
    CHECK(metrics.mae == 0.0);
    CHECK(metrics.r2 == 1.0);
  }

  TEST_CASE("gives the mean of the labels a coefficient of 0") {
    CHECK(measure_regression(vector_of({1, 2, 3}), vector_of({2, 2, 2})).r2 ==
          0.0);
  }

  TEST_CASE("has no coefficient where all labels are the same") {
    const Vector labels = vector_of({2, 2});

    CHECK(std::isnan(measure_regression(labels, labels).r2));
    CHECK(std::isinf(measure_regression(labels, vector_of({2, 3})).r2));
  }

  TEST_CASE("rejects another number of predictions, and none") {
    CHECK_THROWS_WITH_AS(
        measure_regression(vector_of({1, 2}), vector_of({1})),
        "predictions must be one per label, at least 1; got 1 for 2 labels",
        ShapeError);
    CHECK_THROWS_WITH_AS(
        measure_regression(Vector(), Vector()),
        "predictions must be one per label, at least 1; got 0 for 0 labels",
        ShapeError);
  }

  TEST_CASE("averages the measures of several targets") {
    const RegressionMetrics one =
        measure_regression(vector_of({1, 2, 3, 4}), vector_of({0, 2, 5, 3}));
    const RegressionMetrics other =
        measure_regression(vector_of({1, 2, 3, 4}), vector_of({3, 4, 5, 6}));

    const RegressionMetrics mean = mean_metrics({one, other});

    CHECK(mean.num_instances == 4);
    CHECK(mean.num_targets == 2);
    CHECK(mean.rmse == doctest::Approx((one.rmse + other.rmse) / 2));
    CHECK(mean.mae == doctest::Approx((one.mae + other.mae) / 2));
    CHECK(mean.r2 == doctest::Approx((one.r2 + other.r2) / 2));
  }
}

}  // namespace mlp
