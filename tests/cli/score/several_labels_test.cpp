// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../run_program.hpp"

using namespace mlp::test;
using nlohmann::json;

namespace {

/// Numbers that depend on x and y, far from each other in size.
std::string write_surface(const ScratchFolder& folder) {
  std::string text = "x,heat load,y,cost\n";
  for (int i = 0; i < 20; ++i) {
    const double x = 0.1 * (i % 5);
    const double y = 0.2 * (i / 5);
    text += std::to_string(x) + ',' + std::to_string(1000 * (x + y)) + ',' +
            std::to_string(y) + ',' + std::to_string(x - y) + '\n';
  }
  return folder.write("surface.csv", text);
}

std::string train_surface(const ScratchFolder& folder,
                          const std::string& data) {
  const std::string model = folder / "surface.json";
  const std::string report =
      output_of({"train", data, "--task", "regression", "--label",
                 "cost,heat load", "-q", "-o", model, "--json"});
  CHECK(json::parse(report)["trainR2"].get<double>() > 0.98);
  return model;
}

/// A folder with a surface and its model.
struct Surface : mlp::test::InFolder {
  const std::string data = write_surface(folder);
  const std::string model = train_surface(folder, data);
};

}  // namespace

TEST_SUITE("cli/score/several_labels") {
  TEST_CASE_FIXTURE(Surface,
                    "measures each label by the names of the training") {
    const json report =
        json::parse(output_of({"evaluate", model, data, "--json"}));

    CHECK(report["labelNames"] == json({"cost", "heat load"}));
    const auto rmse =
        report["rootMeanSquaredErrorByLabel"].get<std::vector<double>>();
    REQUIRE(rmse.size() == 2);
    CHECK(rmse[0] < 0.1);
    CHECK(rmse[1] < 100.0);
    CHECK(rmse[1] > rmse[0]);
    CHECK(report["rootMeanSquaredError"].get<double>() ==
          doctest::Approx((rmse[0] + rmse[1]) / 2));
    CHECK(run_program({"evaluate", model, data}).output.find("heat load") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(Surface, "predicts a column for each label") {
    const auto csv = run_program({"predict", model, data});
    const auto lines = run_program(
        {"predict", model, data, "--format", "jsonl", "--keep", "y"});

    CHECK(csv.output.starts_with("prediction_cost,prediction_heat load\n"));
    const json first =
        json::parse(lines.output.substr(0, lines.output.find('\n')));
    CHECK(first["y"] == "0.000000");
    CHECK(first["prediction"].size() == 2);
    CHECK(first["prediction"]["heat load"].is_number());
  }

  TEST_CASE("leaves out label columns of a file without names") {
    const ScratchFolder folder;
    const std::string model = folder / "m.json";
    const std::string data =
        folder.write("d.csv", "1,5,2\n2,6,4\n3,7,6\n4,8,9\n");
    const std::vector<std::string> label = {"--label", "1,-1"};
    const auto with_label = [&](std::vector<std::string> words) {
      words.insert(words.end(), label.begin(), label.end());
      return run_program(words);
    };

    CHECK(with_label({"train", data, "--task", "regression", "--layers", "1,2",
                      "-q", "-o", model})
              .exit_code == 0);

    const auto predicted = with_label({"predict", model, data});
    CHECK(predicted.output.starts_with("prediction_1,prediction_2\n"));
    CHECK(run_program({"evaluate", model, data}).exit_code == 0);
  }

  TEST_CASE("finds label columns for validation by their names") {
    const ScratchFolder folder;
    const std::string data =
        folder.write("d.csv", "x,a,b\n1,5,2\n2,6,4\n3,7,6\n4,8,9\n");
    const auto validate = [&](const std::string& text) {
      const std::string report = output_of(
          {"train", data, "--task", "regression", "--label", "1,2", "--layers",
           "1,2", "--validation", folder.write("v.csv", text), "--json", "-q",
           "-o", folder / "m.json"});
      return json::parse(report)["validationHistory"];
    };

    CHECK(validate("b,x,a\n2,1,5\n4,2,6\n") ==
          validate("x,a,b\n1,5,2\n2,6,4\n"));
  }

  TEST_CASE_FIXTURE(Surface,
                    "appends label columns to the outputs of a hidden layer") {
    const auto result = run_program({"featurize", model, data, "--layer", "1",
                                     "--label", "cost,heat load"});

    const std::string header =
        result.output.substr(0, result.output.find('\n'));
    CHECK(header.ends_with(",cost,heat load"));
  }

  TEST_CASE_FIXTURE(
      Surface,
      "refuses another number of labels than the network has outputs") {
    const auto train =
        run_program({"train", data, "--task", "regression", "--label",
                     "cost,heat load", "--layers", "2,3,1"});
    const auto evaluate =
        run_program({"evaluate", model, data, "--label", "cost"});

    CHECK(train.exit_code == 2);
    CHECK(train.messages.find("must end with 2 for task regression") !=
          std::string::npos);
    CHECK(evaluate.exit_code == 2);
    CHECK(evaluate.messages.find("expected 2 columns") != std::string::npos);
  }
}
