// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/folds/folds.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../../../cli/train/train_flags.hpp"
#include "../../run_program.hpp"

namespace mlp::cli {

namespace {

using nlohmann::json;
using namespace test;

ProgramResult train(const std::string& flags) {
  return run_program(with(
      {"train", data_file("iris.csv"), "--layers", "4,5,3", "--max-iter", "30"},
      split_words(flags)));
}

/// Cross-validates a tiny network.
///
/// \param look  gets the data of each fold
template <typename Look>
FoldScores validate(const CommandLine& line, const Look& look) {
  const TrainOptions options = read_train_options(line);
  const GlobalOptions global = read_global_options(line);
  const StopSignal signal;
  Params params;
  params.layers = {1, 2};
  params.max_iter = 1;
  const auto fit = [&](const TrainingData& data, const std::string&) {
    look(data);
    return Fit{Classifier(params).fit(data.train), std::nullopt};
  };
  return cross_validate(read_training_data(options, global), options, global,
                        signal, fit)
      .value();
}

}  // namespace

TEST_SUITE("cli/fit/folds/folds") {
  TEST_CASE_FIXTURE(InFolder, "scales each fold by its training rows only") {
    const std::string rows =
        folder.write("rows.csv", "x,y\n1,0\n2,0\n30,0\n4,1\n5,1\n70,1\n");
    const CommandLine line =
        parse_command_line({"train", rows, "--standardize", "--folds", "3",
                            "-q", "--effort", "quick"});
    std::vector<double> sums;

    const auto scores = validate(line, [&](const TrainingData& data) {
      CHECK(data.train.num_instances() == 4);
      CHECK(std::abs(data.train.features.sum()) < 1e-9);
      sums.push_back(data.test->features.sum());
    });

    CHECK(scores.scores.size() == 3);
    // The test rows are scaled by other rows, so their mean is not 0.
    REQUIRE(sums.size() == 3);
    for (const double sum : sums) CHECK(std::abs(sum) > 1e-3);
  }

  TEST_CASE_FIXTURE(InFolder, "keeps the rows of a group in one fold") {
    const std::string rows = folder.write(
        "rows.csv", "x,g,y\n1,p,0\n2,q,1\n3,r,0\n4,p,1\n5,q,0\n6,r,1\n");
    const CommandLine line =
        parse_command_line({"train", rows, "--group", "g", "--folds", "3", "-q",
                            "--effort", "quick"});

    static_cast<void>(validate(line, [](const TrainingData& data) {
      CHECK(data.train.num_instances() == 4);
      CHECK(data.test->groups.front() == data.test->groups.back());
    }));
  }

  TEST_CASE_FIXTURE(
      InFolder, "prints mean and deviation and saves the model of all rows") {
    const ProgramResult folds = train("--folds 5 -o " + (folder / "a.json"));
    const ProgramResult whole = train("-q -o " + (folder / "b.json"));

    REQUIRE(folds.exit_code == 0);
    REQUIRE(whole.exit_code == 0);
    CHECK(folds.output.starts_with("folds           accuracy 0.9"));
    CHECK(folds.output.find(" over 5 folds\n") != std::string::npos);
    CHECK(read_bytes(folder / "a.json") == read_bytes(folder / "b.json"));
  }

  TEST_CASE("gives all scores as JSON, the same each time") {
    const ProgramResult first = train("--folds 4 --json -q");
    const json report = json::parse(first.output);

    REQUIRE(report["foldAccuracy"].size() == 4);
    double mean = 0.0;
    for (const json& score : report["foldAccuracy"]) {
      mean += score.get<double>() / 4.0;
    }
    CHECK(report["foldAccuracyMean"].get<double>() == doctest::Approx(mean));
    CHECK(json::parse(train("--folds 4 --json -q").output)["foldAccuracy"] ==
          report["foldAccuracy"]);
    CHECK(json::parse(
              train("--folds 4 --json -q --seed 8").output)["foldAccuracy"] !=
          report["foldAccuracy"]);
  }

  TEST_CASE("tells the score of each fold where the program is verbose") {
    const ProgramResult result = run_program(
        {"train", data_file("iris.csv"), "--layers", "3,5,3", "--max-iter",
         "30", "--folds", "2", "-v", "--weight-col", "0"});

    CHECK(result.exit_code == 0);
    CHECK(result.messages.find("mlp: note: fold 2 of 2: accuracy 0.") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "measures a regression by R2 and RMSE") {
    std::string rows = "x,y\n";
    for (int i = 0; i < 20; ++i) {
      rows += std::to_string(i) + ',' + std::to_string(2 * i) + '\n';
    }

    const ProgramResult result = run_program(
        {"train", folder.write("rows.csv", rows), "--task", "regression",
         "--layers", "1,1", "--folds", "4", "--standardize"});

    CHECK(result.exit_code == 0);
    CHECK(result.output.starts_with("folds           R2 "));
    CHECK(result.output.find(" (RMSE ") != std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses more folds than rows") {
    const ProgramResult result =
        run_program({"train", folder.write("rows.csv", "x,y\n1,0\n2,1\n"),
                     "--layers", "1,2", "--folds", "3", "-q"});

    CHECK(result.exit_code == 3);
    CHECK(result.messages == "mlp: error: " + (folder / "rows.csv") +
                                 ": --folds 3 needs at least as many "
                                 "instances; got 2\n");
  }

  TEST_CASE_FIXTURE(InFolder, "stops soon and saves no model") {
    Program program({"train", data_file("digits.csv"), "--layers", "64,300,10",
                     "--solver", "gd", "--tol", "0", "--max-iter", "1000000000",
                     "--folds", "3", "--progress", "always", "-o",
                     folder / "m.json"});
    program.wait_for_message("fold 1 of 3, iteration ");

    const auto start = std::chrono::steady_clock::now();
    program.send(SIGINT);
    const ProgramResult result = program.finish();

    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK(result.exit_code == 128 + SIGINT);
    CHECK(result.messages.find("stopped by SIGINT during fold 1 of 3; no model "
                               "was saved") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "m.json"));
  }
}

}  // namespace mlp::cli
