// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/selection.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using nlohmann::json;
using namespace test;

json train_standard(const std::string& file, const Words& more = {}) {
  return json::parse(output_of(
      with({"train", data_file(file), "--effort", "standard", "--json", "-q"},
           more)));
}

}  // namespace

TEST_SUITE("cli/fit/selection") {
  TEST_CASE("joins five networks, and reports the unseen rows") {
    const json report = train_standard("iris.csv");

    CHECK(report["layers"] == json({4, 320, 3}));
    CHECK(report["networks"] == 5);
    CHECK(report["selectionFolds"] == 5);
    CHECK(report["unseenAccuracy"] > 0.93);
    CHECK(report["unseenLogLoss"] < 0.2);
    CHECK(report["calibrationError"] < 0.1);
  }

  TEST_CASE("a penalty that is given stays") {
    CHECK(train_standard("iris.csv", {"--reg-param", "0.05"})["regParam"] ==
          0.05);
  }

  TEST_CASE("the model predicts as its report says") {
    const ScratchFolder folder;
    const json report =
        train_standard("wine.csv", {"-o", folder / "model.json"});

    const json scores = json::parse(output_of(
        {"evaluate", folder / "model.json", data_file("wine.csv"), "--json"}));

    CHECK(scores["accuracy"] == report["trainAccuracy"]);
  }

  TEST_CASE("a regression reports the error of unseen rows") {
    const json report =
        train_standard("iris.csv", {"--task", "regression", "--label",
                                    "petal_width", "--ignore", "species"});
    CHECK(report["unseenR2"] > 0.9);
    CHECK(!report.contains("temperature"));
  }

  TEST_CASE("refuses what several trainings do not have") {
    for (const Words& others :
         {Words{"--layers", "4,5,3"}, Words{"--validation", "0.2"},
          Words{"--folds", "3"}, Words{"--ranks", "2"}}) {
      const auto run = run_program(with(
          {"train", data_file("iris.csv"), "--effort", "standard"}, others));
      CHECK(run.exit_code == 2);
      CHECK(run.messages.find("--effort") != std::string::npos);
    }
  }
}

}  // namespace mlp::cli
