// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/train_report.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "../../../mlp/backend/reference_backend.hpp"

namespace mlp::cli {

namespace {

TrainReport unmeasured_report(bool is_regressor) {
  TrainReport report;
  report.train = NotMeasured{7};
  report.is_regressor = is_regressor;
  report.layers = {2, is_regressor ? 1 : 2};
  report.backend.implementation = &reference_backend();
  return report;
}

}  // namespace

TEST_SUITE("cli/train/train_report") {
  TEST_CASE("reports the objective of the weights that are kept") {
    TrainReport report = unmeasured_report(false);
    report.summary.objective_history = {3.0, 2.0, 1.0};
    report.summary.convergence_reason =
        optim::ConvergenceReason::kValidationStalled;
    CHECK(format_train_text(report).find("\nobjective       1\n") !=
          std::string::npos);

    report.summary.validation_history = {0.5, 0.25, 0.75};

    CHECK(format_train_text(report).find(
              "\nobjective       2\nvalidation loss 0.25 (the lowest, at "
              "iteration 1, whose weights are kept)\niterations      2 "
              "(validationStalled: the validation loss did not fall for "
              "patience iterations or epochs)") != std::string::npos);
    const std::string json = format_train_json(report);
    CHECK(json.find("\"validationHistory\": [0.5, 0.25, 0.75]") != json.npos);
    CHECK(json.find("\"bestIteration\": 1") != json.npos);
  }

  TEST_CASE("says what stopped a training") {
    FitResult fit{Model(Topology({2, 2}), Vector::Zero(6)), {}};
    fit.summary.objective_history = {1.0};
    CHECK(cli::describe_stop(fit, 0).empty());

    fit.summary.convergence_reason =
        optim::ConvergenceReason::kStoppedByCallback;
    CHECK(cli::describe_stop(fit, SIGINT) == "stopped by SIGINT");
    CHECK(cli::describe_stop(fit, SIGTERM) == "stopped by SIGTERM");
    CHECK(cli::describe_stop(fit, 0) == "stopped by another rank");

    fit.summary.objective_history = {std::nan("")};
    CHECK(cli::describe_stop(fit, 0) == "diverged");
  }

  TEST_CASE("reports mean and deviation of folds") {
    TrainReport report = unmeasured_report(false);
    cli::FoldScores& folds = report.folds.emplace();
    folds.add(Accuracy{3, 4});
    folds.add(Accuracy{4, 4});
    folds.add(NotMeasured{4});
    CHECK(folds.describe_last() == "accuracy 1.0000");

    // The deviation of 0.75 and 1 is 0.125 times the root of 2.
    CHECK(format_train_text(report).starts_with(
        "folds           accuracy 0.8750 +- 0.1768 (standard deviation) over "
        "2 folds\n"));
    CHECK(format_train_json(report).find("\"foldAccuracyMean\": 0.875") !=
          std::string::npos);
  }

  TEST_CASE("reports that scores were left out") {
    const std::string text = format_train_text(unmeasured_report(false));
    const std::string json = format_train_json(unmeasured_report(false));
    const std::string regression = format_train_json(unmeasured_report(true));

    CHECK(text.find("train scores    not measured, because the training was "
                    "stopped\n") == 0);
    CHECK(json.find("\"trainAccuracy\": null") != json.npos);
    CHECK(json.find("\"rows\": 7") != json.npos);
    CHECK(regression.find("\"trainR2\": null") != regression.npos);
    CHECK(regression.find("\"trainRmse\": null") != regression.npos);
  }
}

}  // namespace mlp::cli
