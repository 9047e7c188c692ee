// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/training_warnings.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace mlp {

namespace {

using optim::ConvergenceReason;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

optim::Summary summary_of(std::vector<double> history,
                          ConvergenceReason reason) {
  optim::Summary summary;
  summary.objective_history = std::move(history);
  summary.convergence_reason = reason;
  return summary;
}

}  // namespace

TEST_SUITE("mlp/training/training_warnings") {
  TEST_CASE("warns of features of very different sizes, with their names") {
    datasets::Dataset data;
    data.features = Matrix{{50, -60}, {-0.4, 0.3}};
    data.feature_names = {"big", "small"};

    const auto warning = warn_of_scale(data);

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kUnevenScale);
    CHECK(warning->sentence ==
          "feature 'big' reaches 60, and feature 'small' only 0.4; most "
          "networks need standardised features, of mean 0 and deviation 1");
    CHECK(warning->numbers == std::vector<std::pair<std::string, double>>{
                                  {"largest", 60.0}, {"smallest", 0.4}});
  }

  TEST_CASE("warns of large features, by their index without names") {
    datasets::Dataset data;
    data.features = Matrix{{101, 60}, {-40, 99}};

    CHECK(warn_of_scale(data)->sentence ==
          "feature 0 reaches 101; most networks need standardised features, of "
          "mean 0 and deviation 1");
  }

  TEST_CASE("says nothing of features near 1, and of constant zeros") {
    datasets::Dataset data;
    data.features = Matrix{{1, 2}, {-40, 100}};
    CHECK_FALSE(warn_of_scale(data));
    data.features = Matrix{{1, 2}, {0, 0}};
    CHECK_FALSE(warn_of_scale(data));
    data.features = Matrix(3, 0);
    CHECK_FALSE(warn_of_scale(data));
  }

  TEST_CASE("warns of a search that failed before the objective fell") {
    const auto failed = ConvergenceReason::kLineSearchFailed;

    const auto warning = warn_of_search(summary_of({2.0, 2.0, 1.999}, failed));

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kSearchFailed);
    CHECK(warning->sentence ==
          "the line search failed before the network learned: the objective "
          "was 2 at the start and is 1.999 at the end; standardised features "
          "or another solver often help");
    CHECK_FALSE(warn_of_search(summary_of({2.0, 1.99}, failed)));
    CHECK_FALSE(warn_of_search(summary_of({2.0}, ConvergenceReason::kMaxIter)));
  }

  TEST_CASE("warns of maxIter if the last tenth of the iterations improved") {
    std::vector<double> history(21, 1.0);
    history[19] = 0.9;
    history[20] = 0.9;

    const auto warning =
        warn_of_max_iter(summary_of(history, ConvergenceReason::kMaxIter));

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kStillImproving);
    CHECK(warning->sentence ==
          "the training ended at maxIter while the objective still fell, by 10 "
          "% in the last 2 iterations; a larger maxIter may give a better "
          "model");
    history[18] = 0.9;
    CHECK_FALSE(
        warn_of_max_iter(summary_of(history, ConvergenceReason::kMaxIter)));
  }

  TEST_CASE("names smaller steps where the objective rose, and no other data") {
    CHECK(warn_of_loss(3.0, 2.0, false, NextStep::kSmallerSteps)
              ->sentence.ends_with(
                  "; the objective rose, so a smaller stepSize may help"));
    CHECK(warn_of_loss(3.0, 2.0, false, NextStep::kOtherData)
              ->sentence.ends_with("; the features may say nothing about the "
                                   "labels; other layers may help"));
  }

  TEST_CASE("says nothing of an objective that falls near 0") {
    std::vector<double> history(21, 1e-4);
    history.front() = 1.0;
    history.back() = 1e-5;

    CHECK_FALSE(
        warn_of_max_iter(summary_of(history, ConvergenceReason::kMaxIter)));
  }

  TEST_CASE("says nothing of maxIter after another end or few iterations") {
    CHECK_FALSE(warn_of_max_iter(
        summary_of(std::vector<double>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5, 0.1},
                   ConvergenceReason::kGradientConverged)));
    CHECK_FALSE(
        warn_of_max_iter(summary_of({9, 8, 7}, ConvergenceReason::kMaxIter)));
  }

  TEST_CASE("warns of a loss near that of a prediction without features") {
    const auto warning = warn_of_loss(0.6930, 0.6931, true, NextStep::kScale);

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kNoBetterThanConstant);
    CHECK(warning->sentence ==
          "the network predicts no better than the frequencies of the classes: "
          "a loss of 0.693, against 0.6931; standardised features often help");
    CHECK(warn_of_loss(3.0, 2.0, false, NextStep::kTrainLonger)->sentence ==
          "the network predicts no better than the mean of the labels: a loss "
          "of 3, against 2; a larger maxIter, or other layers may help");
    CHECK_FALSE(warn_of_loss(0.6, 0.6931, true, NextStep::kScale));
    CHECK_FALSE(warn_of_loss(0.1, 0.0, true, NextStep::kScale));
  }

  TEST_CASE("warns of a classifier that is right as often as a constant") {
    const Baseline baseline{0.5623, 0.75};

    const auto warning = warn_of_accuracy(0.75, baseline, NextStep::kScale);

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kNoBetterThanConstant);
    CHECK(warning->sentence ==
          "the network is right for 75 % of the training rows, and a "
          "prediction of the largest class is for 75 %; standardised features "
          "often help");
    CHECK_FALSE(warn_of_accuracy(0.76, baseline, NextStep::kScale));
    CHECK_FALSE(warn_of_accuracy(1.0, {0.0, 1.0}, NextStep::kScale));
  }

  TEST_CASE("looks at the accuracy only if the loss allows it to be low") {
    const Baseline baseline{0.5623, 0.75};

    // A quarter of the instances is wrong, each with a loss of ln 2 = 0.693.
    CHECK_FALSE(may_be_wrong_as_often(0.173, 0.0, baseline));
    CHECK(may_be_wrong_as_often(0.174, 0.0, baseline));
    CHECK(may_be_wrong_as_often(0.1, 0.5, baseline));
    CHECK_FALSE(may_be_wrong_as_often(9.0, 0.0, {0.0, 1.0}));
  }

  TEST_CASE("warns of a validation loss that never fell, or is not finite") {
    optim::Summary summary = summary_of({3, 2, 1}, ConvergenceReason::kMaxIter);
    CHECK_FALSE(warn_of_validation(summary));

    summary.validation_history = {1.0, 1.5, 2.0};
    CHECK(warn_of_validation(summary)->sentence ==
          "the validation loss never fell below 1, its start, so the model has "
          "its initial weights; are its rows like those of the training?");
    summary.validation_history = {1.0, 0.5, kNaN};
    CHECK(warn_of_validation(summary)->sentence ==
          "the validation loss is NaN at the end; the model has the weights of "
          "iteration 1, the last with a lower loss");
    summary.validation_history = {1.0, 0.5, 0.7};
    CHECK_FALSE(warn_of_validation(summary));
  }

  TEST_CASE("warns of a score far above that of unseen rows") {
    CHECK(warn_of_overfit(0.984, 0.71, 0.05)->sentence ==
          "train 0.98 is far above 0.71 on unseen rows: the network learns the "
          "training rows by heart; a larger regParam or more rows help");
    CHECK_FALSE(warn_of_overfit(0.98, 0.71, 0.3));
    CHECK_FALSE(warn_of_overfit(0.98, 0.9, 0.0));
    CHECK_FALSE(warn_of_overfit(0.59, 0.48, 0.0));
  }

  TEST_CASE("warns of a test that is far worse than the training rows") {
    const auto warning = warn_of_overfit_on_test(1.0, 0.6, 100, true);

    REQUIRE(warning);
    CHECK(warning->code == FitWarningCode::kOverfit);
    CHECK(warn_of_overfit_on_test(1.0, 0.2, 100, false));
    CHECK_FALSE(warn_of_overfit_on_test(1.0, 0.9, 100, true));
    // One of ten rows less would be right by chance.
    CHECK_FALSE(warn_of_overfit_on_test(1.0, 0.8, 10, true));
    CHECK_FALSE(warn_of_overfit_on_test(1.0, 0.0, 9, true));
  }
}

}  // namespace mlp
