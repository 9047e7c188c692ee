// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace mlp {

namespace {

using Rates = std::vector<double>;

// A few roundings of numbers up to 1.
constexpr double kRounding = 1e-15;

Vector vector_of(const Rates& numbers) {
  return Eigen::Map<const Vector>(numbers.data(),
                                  static_cast<Index>(numbers.size()));
}

Metrics metrics_of(const Rates& labels, const Rates& predictions) {
  return Metrics(vector_of(labels), vector_of(predictions));
}

/// Confusion, label by prediction:  2 1 0
///                                  0 1 1
///                                  2 0 2
Metrics three_classes() {
  return metrics_of({0, 0, 0, 1, 1, 2, 2, 2, 2}, {0, 0, 1, 1, 2, 2, 2, 0, 0});
}

void check_rates(const Rates& rates, const Rates& expected) {
  REQUIRE(rates.size() == expected.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(rates[i] - expected[i]) < kRounding);
  }
}

void check_rate(double rate, double expected) {
  CHECK(std::abs(rate - expected) < kRounding);
}

}  // namespace

TEST_SUITE("mlp/model/metrics") {
  TEST_CASE("counts instances and those predicted right") {
    const Metrics metrics = three_classes();

    CHECK(metrics.num_instances() == 9);
    CHECK(metrics.labels() == Rates{0, 1, 2});
    check_rate(metrics.accuracy(), 5.0 / 9.0);
  }

  TEST_CASE("computes the rates of each label by hand") {
    const Metrics metrics = three_classes();

    check_rates(metrics.precision_by_label(), {2.0 / 4, 1.0 / 2, 2.0 / 3});
    check_rates(metrics.recall_by_label(), {2.0 / 3, 1.0 / 2, 2.0 / 4});
    check_rates(metrics.true_positive_rate_by_label(),
                {2.0 / 3, 1.0 / 2, 2.0 / 4});
    check_rates(metrics.false_positive_rate_by_label(),
                {2.0 / 6, 1.0 / 7, 1.0 / 5});
  }

  // 2 P R / (P + R): 0 and 2 have P and R of 1/2 and 2/3, so 4/7.
  TEST_CASE("computes the harmonic mean of precision and recall") {
    check_rates(three_classes().f_measure_by_label(),
                {4.0 / 7, 1.0 / 2, 4.0 / 7});
  }

  // 5 P R / (4 P + R): (5/3) / (8/3), 1/2 and (5/3) / (19/6).
  TEST_CASE("weighs recall more with beta 2") {
    const Metrics metrics = three_classes();

    check_rates(metrics.f_measure_by_label(2.0), {5.0 / 8, 1.0 / 2, 10.0 / 19});
    check_rate(metrics.weighted_f_measure(2.0),
               (3 * 5.0 / 8 + 2 * 1.0 / 2 + 4 * 10.0 / 19) / 9);
  }

  TEST_CASE("weighs the rates by the instances of each label") {
    const Metrics metrics = three_classes();

    check_rate(metrics.weighted_precision(), 31.0 / 54);
    check_rate(metrics.weighted_recall(), 5.0 / 9);
    check_rate(metrics.weighted_true_positive_rate(), 5.0 / 9);
    check_rate(metrics.weighted_false_positive_rate(), 73.0 / 315);
    check_rate(metrics.weighted_f_measure(), 5.0 / 9);
  }

  TEST_CASE("counts label by row and prediction by column") {
    Eigen::Matrix<Index, 3, 3> expected;
    expected << 2, 1, 0, 0, 1, 1, 2, 0, 2;

    CHECK(three_classes().confusion_matrix() == expected);
  }

  TEST_CASE("widens the confusion matrix to the number of classes asked for") {
    const auto matrix = three_classes().confusion_matrix(5);

    CHECK(matrix.rows() == 5);
    CHECK(matrix.cols() == 5);
    CHECK(matrix.sum() == 9);
    CHECK(matrix(2, 0) == 2);
    CHECK(three_classes().confusion_matrix(2).rows() == 3);
  }

  TEST_CASE("gives a class that is never predicted the precision 0") {
    const Metrics metrics = metrics_of({0, 1}, {0, 0});

    check_rates(metrics.precision_by_label(), {0.5, 0.0});
    check_rates(metrics.recall_by_label(), {1.0, 0.0});
    check_rates(metrics.f_measure_by_label(), {2.0 / 3, 0.0});
    check_rates(metrics.false_positive_rate_by_label(), {1.0, 0.0});
  }

  TEST_CASE("does not list a class that is only predicted") {
    const Metrics metrics = metrics_of({0, 0, 1, 1}, {0, 2, 1, 2});

    CHECK(metrics.labels() == Rates{0, 1});
    check_rate(metrics.accuracy(), 0.5);
    check_rates(metrics.precision_by_label(), {1.0, 1.0});
    check_rates(metrics.recall_by_label(), {0.5, 0.5});
    check_rates(metrics.false_positive_rate_by_label(), {0.0, 0.0});
    CHECK(metrics.confusion_matrix().rows() == 3);
    CHECK(metrics.confusion_matrix()(0, 2) == 1);
  }

  TEST_CASE("has no false positive rate where only one label occurs") {
    const Metrics metrics = metrics_of({1, 1, 1}, {1, 1, 0});

    CHECK(metrics.labels() == Rates{1});
    CHECK(std::isnan(metrics.false_positive_rate_by_label()[0]));
    CHECK(std::isnan(metrics.weighted_false_positive_rate()));
    check_rates(metrics.precision_by_label(), {1.0});
    check_rates(metrics.recall_by_label(), {2.0 / 3});
  }

  TEST_CASE("is perfect where every prediction is right") {
    const Metrics metrics = metrics_of({2, 0, 1}, {2, 0, 1});

    CHECK(metrics.accuracy() == 1.0);
    check_rate(metrics.weighted_f_measure(), 1.0);
    check_rate(metrics.weighted_false_positive_rate(), 0.0);
  }

  TEST_CASE("rejects predictions of another number than labels") {
    CHECK_THROWS_WITH_AS(metrics_of({0, 1, 2}, {0, 1}),
                         "predictions must be 3, one per label; got 2",
                         ShapeError);
  }

  TEST_CASE("rejects a confusion matrix of numbers that are no classes") {
    CHECK_THROWS_WITH_AS(
        (void)metrics_of({-1, 0}, {0, 0}).confusion_matrix(),
        "a confusion matrix needs class indices 0..1048575; got -1", DataError);
    CHECK_THROWS_WITH_AS(
        (void)metrics_of({0, 0}, {0, 1.5}).confusion_matrix(),
        "a confusion matrix needs class indices 0..1048575; got 1.5",
        DataError);
  }

  TEST_CASE("rejects no instances") {
    CHECK_THROWS_WITH_AS(metrics_of({}, {}),
                         "metrics need at least 1 instance; got 0", DataError);
  }
}

}  // namespace mlp
