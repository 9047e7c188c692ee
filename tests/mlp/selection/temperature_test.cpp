// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/temperature.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../../../core/spark_random.hpp"

namespace mlp {

namespace {

/// Raw predictions, and labels that are drawn with their probabilities at a
/// temperature.
struct Sample {
  Matrix raw;
  Vector labels;

  Sample(Index num_instances, double temperature)
      : raw(2, num_instances), labels(num_instances) {
    SparkRandom random(7, SeedHash::kSpark3);
    for (Index i = 0; i < num_instances; ++i) {
      raw(0, i) = 0.0;
      raw(1, i) = 6.0 * random.next_double() - 3.0;
      const double p = 1.0 / (1.0 + std::exp(-raw(1, i) / temperature));
      labels[i] = random.next_double() < p ? 1.0 : 0.0;
    }
  }
};

}  // namespace

TEST_SUITE("mlp/selection/temperature") {
  TEST_CASE("finds the temperature of many rows") {
    const Sample sample(20000, 2.0);
    CHECK(std::abs(fit_temperature(sample.raw, sample.labels) - 2.0) < 0.1);
  }

  TEST_CASE("stays near 1 with few rows") {
    const Sample sample(5, 5.0);
    const double temperature = fit_temperature(sample.raw, sample.labels);
    CHECK(temperature > 0.7);
    CHECK(temperature < 1.4);
  }

  TEST_CASE("stays above 0.5 if all of some hundred predictions are right") {
    Matrix raw(2, 200);
    raw.row(0).setZero();
    raw.row(1).setConstant(3.0);
    CHECK(fit_temperature(raw, Vector::Ones(200)) > 0.5);
  }

  TEST_CASE("a weight of 2 counts as two rows") {
    const Sample sample(50, 3.0);
    Matrix raw(2, 100);
    raw << sample.raw, sample.raw;
    Vector labels(100);
    labels << sample.labels, sample.labels;

    const double twice = fit_temperature(raw, labels);

    CHECK(std::abs(fit_temperature(sample.raw, sample.labels,
                                   Vector::Constant(50, 2.0)) -
                   twice) < 1e-9);
  }

  TEST_CASE("refuses labels of other rows") {
    CHECK_THROWS_AS(
        static_cast<void>(fit_temperature(Matrix::Zero(2, 3), Vector::Zero(2))),
        ShapeError);
  }
}

}  // namespace mlp
