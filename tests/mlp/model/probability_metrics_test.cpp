// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/probability_metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace mlp {

namespace {

// A few roundings of sums of 8 numbers.
constexpr double kRounding = 1e-15;

void check_close(double number, double expected) {
  CHECK(std::abs(number - expected) <= kRounding * std::abs(expected));
}

/// The probabilities of two classes from that of class 1.
Matrix two_classes(const Vector& probability) {
  Matrix both(2, probability.size());
  both.row(0) = 1.0 - probability.transpose().array();
  both.row(1) = probability.transpose();
  return both;
}

}  // namespace

TEST_SUITE("mlp/model/probability_metrics") {
  // log_loss(y, p), roc_auc_score(y, p, multi_class="ovr", average="macro") and
  // roc_auc_score(y == k, p[:, k]) of scikit-learn 1.9.1.
  TEST_CASE("gives the numbers of scikit-learn for three classes") {
    const Vector labels{{0, 0, 1, 1, 2, 2, 2, 0}};
    const Matrix probability{{.7, .5, .2, .4, .1, .3, .2, .2},
                             {.2, .3, .6, .4, .2, .4, .2, .7},
                             {.1, .2, .2, .2, .7, .3, .6, .1}};

    const auto metrics = measure_probabilities(labels, probability);

    check_close(metrics.log_loss, 0.7697312205754478);
    check_close(*metrics.roc_auc, 0.8638888888888889);
    check_close(*metrics.roc_auc_by_class[0], 0.7999999999999999);
    check_close(*metrics.roc_auc_by_class[1], 0.7916666666666667);
    check_close(*metrics.roc_auc_by_class[2], 1.0);
  }

  TEST_CASE("gives the numbers of scikit-learn for two classes with ties") {
    const auto metrics = measure_probabilities(
        Vector{{0, 1, 1, 0, 1, 0, 1}},
        two_classes(Vector{{.1, .9, .4, .4, .4, .6, 1.0}}));

    check_close(metrics.log_loss, 0.49577412152915834);
    check_close(*metrics.roc_auc, 0.75);
  }

  // scikit-learn clips 0 to the epsilon: (-log(2.2e-16) - log(1/2)) / 2.
  TEST_CASE("counts a probability of 0 as the epsilon of float64") {
    const auto metrics =
        measure_probabilities(Vector{{0, 1}}, two_classes(Vector{{1.0, 0.5}}));

    check_close(metrics.log_loss, 18.36840028483855);
  }

  TEST_CASE("gives equal scores an area of one half") {
    const auto metrics = measure_probabilities(
        Vector{{0, 1, 1}}, two_classes(Vector::Constant(3, 0.25)));

    CHECK(*metrics.roc_auc == 0.5);
  }

  TEST_CASE("leaves out classes without instances") {
    const Matrix probability{{.6, .1, .5}, {.3, .8, .4}, {.1, .1, .1}};

    const auto metrics = measure_probabilities(Vector{{0, 1, 0}}, probability);

    CHECK_FALSE(metrics.roc_auc_by_class[2]);
    CHECK(*metrics.roc_auc == 1.0);
  }

  TEST_CASE("has no area if only one class occurs") {
    const auto metrics =
        measure_probabilities(Vector{{1, 1}}, two_classes(Vector{{.5, .25}}));

    CHECK_FALSE(metrics.roc_auc);
    check_close(metrics.log_loss, 1.5 * std::log(2.0));
  }

  TEST_CASE("counts a probability that is not a number as 0") {
    const double nan = std::numeric_limits<double>::quiet_NaN();

    const auto metrics = measure_probabilities(
        Vector{{0, 1, 1}}, two_classes(Vector{{0.25, nan, 0.5}}));

    CHECK(std::isfinite(metrics.log_loss));
    CHECK(*metrics.roc_auc == 0.5);
  }

  TEST_CASE("rejects other sizes and labels that are no classes") {
    const Matrix probability = two_classes(Vector{{.5, .25}});

    CHECK_THROWS_WITH_AS(
        measure_probabilities(Vector{{1}}, probability),
        "probabilities must be one column per label, at least 1; got 2 for 1 "
        "labels",
        ShapeError);
    CHECK_THROWS_WITH_AS(
        measure_probabilities(Vector{{0, 2}}, probability),
        "labels must be classes from 0 to 1, one per row of the probabilities",
        ShapeError);
  }
}

}  // namespace mlp
