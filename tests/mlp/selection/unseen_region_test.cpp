// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/unseen_region.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../../../core/spark_random.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

/// Labels from 0 to 1, all predicted as 0.
PredictedRows random_rows(Index num_rows, std::int64_t seed) {
  SparkRandom random(seed, SeedHash::kSpark3);
  PredictedRows rows{Matrix::Zero(1, num_rows), Matrix(1, num_rows),
                     Vector::Ones(num_rows)};
  for (double& label : rows.labels.reshaped()) label = random.next_double();
  return rows;
}

std::string refusal(Task task, double coverage, Effort effort) {
  Params params;
  params.task = task;
  return test::thrown_message<ParamError>(
      [&] { check_coverage(params, coverage, effort); });
}

}  // namespace

TEST_SUITE("mlp/selection/unseen_region") {
  TEST_CASE("the quantile counts one row more than there are") {
    const Vector values{{4.0, 1.0, 3.0, 2.0}};
    const Vector ones = Vector::Ones(4);

    // ceil(0.4 * 5), ceil(0.5 * 5), ceil(0.8 * 5)
    CHECK(conservative_quantile(values, ones, 0.4) == 2.0);
    CHECK(conservative_quantile(values, ones, 0.5) == 3.0);
    CHECK(conservative_quantile(values, ones, 0.8) == 4.0);
    CHECK(conservative_quantile(values, ones, 0.9) == 4.0);
  }

  TEST_CASE("a row of weight 2 counts as two rows") {
    const Vector values{{1.0, 2.0, 3.0}};
    const Vector repeated{{1.0, 2.0, 2.0, 3.0}};

    for (const double share : {0.1, 0.3, 0.5, 0.7}) {
      CHECK(conservative_quantile(values, Vector{{1.0, 2.0, 1.0}}, share) ==
            conservative_quantile(repeated, Vector::Ones(4), share));
    }
  }

  TEST_CASE("the quantile covers one more value as often as it says") {
    constexpr Index kTrials = 4000;
    constexpr double kTolerance = 0.02;  // three deviations of the mean
    Index inside = 0;
    for (Index i = 0; i < kTrials; ++i) {
      const Vector values = random_rows(10, i).labels.row(0).transpose();
      // 0.8 * 10 = 8 values
      const double quantile =
          conservative_quantile(values.tail(9), Vector::Ones(9), 0.8);
      if (values[0] <= quantile) ++inside;
    }
    CHECK(std::abs(static_cast<double>(inside) / kTrials - 0.8) < kTolerance);
  }

  TEST_CASE("an interval leaves out the same share at both ends") {
    PredictedRows rows = random_rows(19, 1);
    rows.labels.row(0).setLinSpaced(-9.0, 9.0);

    const PredictionInterval most = fit_prediction_interval(rows, 0.9);
    const PredictionInterval half = fit_prediction_interval(rows, 0.5);

    CHECK(most.coverage == 0.9);
    CHECK(most.lower == Vector{{-9.0}});
    CHECK(most.upper == Vector{{9.0}});
    CHECK(half.lower == Vector{{-5.0}});  // the fifth of 19
    CHECK(half.upper == Vector{{5.0}});
  }

  TEST_CASE("each number has an interval of its own") {
    PredictedRows rows = random_rows(19, 1);
    rows.predictions = Matrix::Zero(2, 19);
    rows.labels = Matrix(2, 19);
    rows.labels.row(0).setLinSpaced(-9.0, 9.0);
    rows.labels.row(1).setLinSpaced(1.0, 19.0);

    const PredictionInterval interval = fit_prediction_interval(rows, 0.9);

    CHECK(interval.lower == Vector{{-9.0, 1.0}});
    CHECK(interval.upper == Vector{{9.0, 19.0}});
  }

  TEST_CASE("a set takes classes as improbable as labels rarely are") {
    PredictedRows rows{Matrix(2, 9), Matrix::Zero(1, 9), Vector::Ones(9)};
    rows.predictions.row(0).setLinSpaced(0.1, 0.9);
    rows.predictions.row(1) = 1.0 - rows.predictions.row(0).array();

    CHECK(fit_prediction_set(rows, 0.9).least_probability ==
          doctest::Approx(0.1));
    CHECK(fit_prediction_set(rows, 0.7).least_probability ==
          doctest::Approx(0.3));
  }

  TEST_CASE("the rows of a fold are measured with those of the others") {
    PredictedRows rows = random_rows(40, 3);
    rows.labels.leftCols(20).setZero();
    rows.labels.rightCols(20).setOnes();

    const Coverage coverage =
        measure_by_folds(rows, {20, 20}, [](const PredictedRows& others) {
          return fit_prediction_interval(others, 0.8);
        });

    CHECK(coverage.share == 0.0);
    CHECK(coverage.mean_size == 0.0);
  }

  TEST_CASE("a fold counts by the weights of its rows") {
    PredictedRows rows = random_rows(4, 3);
    rows.labels << 0.0, 0.0, 1.0, 0.0;
    rows.weights << 0.5, 0.5, 1.5, 1.5;

    const Coverage coverage =
        measure_by_folds(rows, {2, 2}, [](const PredictedRows& others) {
          return fit_prediction_interval(others, 0.5);
        });

    // The first two are within [0, 1], the third is not within [0, 0].
    CHECK(coverage.share == 0.625);
    CHECK(coverage.mean_size == 0.25);
  }

  TEST_CASE("refuses a coverage outside of 0 to 1") {
    CHECK(refusal(Task::kRegression, 0.0, Effort::kStandard) ==
          "interval must be a number > 0 and < 1; got 0");
    CHECK(refusal(Task::kClassification, 1.0, Effort::kStandard) ==
          "coverage must be a number > 0 and < 1; got 1");
    CHECK(refusal(Task::kClassification, std::nan(""), Effort::kStandard) ==
          "coverage must be a number > 0 and < 1; got NaN");
    CHECK(refusal(Task::kClassification, 0.5, Effort::kStandard) == "");
  }

  TEST_CASE("refuses the regions of a single training") {
    CHECK(refusal(Task::kRegression, 0.9, Effort::kQuick) ==
          "interval needs rows that the trainings of folds did not see; "
          "expected effort standard, got quick: leave out layers and other "
          "settings of one training");
    CHECK_NOTHROW(check_coverage(Params(), std::nullopt, Effort::kQuick));
  }

  TEST_CASE("refuses sets beside thresholds") {
    Params params;
    params.thresholds = {0.9, 0.1};
    CHECK(test::thrown_message<ParamError>(
              [&] { check_coverage(params, 0.9, Effort::kStandard); }) ==
          "coverage cannot be combined with thresholds, which may predict a "
          "class that is not in the set");
  }

  TEST_CASE("refuses a coverage beyond the rows of the folds") {
    using Folds = std::vector<std::vector<Index>>;
    const auto refusal_of = [](Task task, double coverage, std::size_t size) {
      const Folds folds = {std::vector<Index>(size), std::vector<Index>(size)};
      return test::thrown_message<ParamError>(
          [&] { check_coverage_rows(task, coverage, folds); });
    };

    CHECK(refusal_of(Task::kRegression, 0.9, 19) == "");
    CHECK(refusal_of(Task::kRegression, 0.9, 18) ==
          "interval 0.9 needs more rows; expected at least 19 in all folds but "
          "one, got 18; ask for a smaller one");
    CHECK(refusal_of(Task::kClassification, 0.9, 9) == "");
    CHECK(refusal_of(Task::kClassification, 0.9, 8) ==
          "coverage 0.9 needs more rows; expected at least 9 in all folds but "
          "one, got 8; ask for a smaller one");
  }
}

}  // namespace mlp
