// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

/// How far the first entries of a history must follow Spark's, relatively.
constexpr double kHistoryTolerance = 1e-12;

json golden(const std::string& name) {
  std::ifstream stream(std::string(MLP_TEST_DATA_DIR) + "/golden/spark-3.5/" +
                       name);
  return json::parse(stream);
}

/// Trains with the flags in a text, and with --json.
ProgramResult train(const std::string& file, const std::string& flags) {
  return run_program(
      with({"train", data_file(file), "--json"}, split_words(flags)));
}

json train_json(const std::string& file, const std::string& flags) {
  const ProgramResult result = train(file, flags);
  CAPTURE(result.messages);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.output);
}

/// Compares the beginning of a history with Spark's.
void check_history(const json& history, const json& expected,
                   std::size_t num_entries) {
  REQUIRE(history.size() >= num_entries);
  for (std::size_t i = 0; i < num_entries; ++i) {
    CAPTURE(i);
    const double value = expected[i].get<double>();
    CHECK(std::abs(history[i].get<double>() - value) <=
          kHistoryTolerance * std::abs(value));
  }
}

}  // namespace

TEST_SUITE("cli/train/train") {
  TEST_CASE("follows Spark on iris") {
    const json expected = golden("iris_default.json");
    const std::size_t num_exact =
        expected["agreement"]["entries"]["1e-12"].get<std::size_t>();

    const json result = train_json("iris.csv", "--layers 4,5,4,3 --seed 1234");

    // golden/README.md: at least 90 % of the count.
    check_history(result["objectiveHistory"], expected["objectiveHistory"],
                  num_exact * 9 / 10);
    CHECK(result["totalIterations"] == expected["totalIterations"]);
    CHECK(result["objectiveHistory"].size() ==
          expected["objectiveHistory"].size());
    CHECK(result["convergenceReason"] == "maxIter");
    CHECK(result["labels"] == json{"setosa", "versicolor", "virginica"});
    CHECK(result["rows"] == 150);
  }

  TEST_CASE("scores the example of Spark's guide as Spark does") {
    const json result =
        train_json("sample_multiclass_classification_data.txt",
                   "--layers 4,5,4,3 --seed 1234 --split 0.6,0.4");

    CHECK(result["testAccuracy"] == 0.9523809523809523);
    CHECK(result["totalIterations"] == 46);
    CHECK(result["testRows"] == 63);
  }

  TEST_CASE("scores the example of the guide of Spark 2 with its seed hash") {
    const json result = train_json(
        "sample_multiclass_classification_data.txt",
        "--layers 4,5,4,3 --seed 1234 --split 0.6,0.4 --seed-hash 2");

    CHECK(result["testAccuracy"] == 0.9019607843137255);
    CHECK(result["totalIterations"] == 68);
    CHECK(result["testRows"] == 51);
  }

  TEST_CASE("cuts partitions as it is told") {
    const json expected = golden("iris_3_partitions.json");
    const std::string flags = "--layers 4,8,3 --seed 5 --block-size 16 ";

    const json by_sizes =
        train_json("iris.csv", flags + "--partition-sizes 50,50,50");
    const json by_count = train_json("iris.csv", flags + "--partitions 3");

    const std::size_t num_exact =
        expected["agreement"]["entries"]["1e-12"].get<std::size_t>();
    check_history(by_sizes["objectiveHistory"], expected["objectiveHistory"],
                  num_exact * 9 / 10);
    CHECK(by_count["objectiveHistory"] == by_sizes["objectiveHistory"]);
  }

  TEST_CASE_FIXTURE(InFolder, "starts from given weights") {
    const json expected = golden("iris_default.json");
    const std::string file =
        folder.write("weights.json", expected["initialWeights"].dump());

    const json given =
        train_json("iris.csv", "--layers 4,5,4,3 --initial-weights " + file);

    const json drawn = train_json("iris.csv", "--layers 4,5,4,3 --seed 1234");
    CHECK(given["objectiveHistory"] == drawn["objectiveHistory"]);
  }

  TEST_CASE_FIXTURE(InFolder, "starts from a model and takes its layers") {
    const std::string model = folder / "model.json";
    const json first =
        train_json("iris.csv", "--layers 4,5,3 --max-iter 5 -o " + model);

    const json second = train_json("iris.csv", "--initial-weights " + model);

    CHECK(second["layers"] == json{4, 5, 3});
    CHECK(second["objectiveHistory"][0] == first["objectiveHistory"].back());
  }

  TEST_CASE_FIXTURE(InFolder,
                    "gives the same bytes with any number of threads") {
    const std::string flags = "--labels " +
                              data_file("t10k-labels-idx1-ubyte.gz") +
                              " --layers 784,10,10 --max-iter 2 --scale 255";
    for (const std::string threads : {"1", "2"}) {
      static_cast<void>(train_json(
          "t10k-images-idx3-ubyte.gz",
          flags + " --threads " + threads + " -o " + (folder / threads)));
    }

    CHECK_FALSE(read_bytes(folder / "1").empty());
    CHECK(read_bytes(folder / "1") == read_bytes(folder / "2"));
  }

  TEST_CASE("chooses layers and label and says so") {
    const ProgramResult result = train("iris.csv", "--max-iter 1");

    CHECK(json::parse(result.output)["networks"] >= 1);
    CHECK(
        result.messages ==
        "mlp: note: the label is column 4 ('species'); --label COL chooses "
        "another\n"
        "mlp: note: no --layers, so mlp standardises the features and chooses "
        "among trainings of layers [4, 64, 3] (preset modern); --effort quick "
        "trains one; -v lists all values\n"
        "mlp: note: the model will not be saved; -o FILE saves it\n");
  }

  TEST_CASE("says nothing when it is told to be quiet") {
    const auto result = run_program(
        {"train", data_file("iris.csv"), "-q", "--progress", "always"});

    CHECK(result.exit_code == 0);
    CHECK(result.output.empty());
    CHECK(result.messages.empty());
  }

  TEST_CASE_FIXTURE(
      InFolder, "exits 5 and leaves an older model alone when it diverges") {
    const std::string model = folder.write("model.json", "older");

    const ProgramResult result =
        train("iris.csv",
              "-q --layers 4,5,3 --solver gd --step-size 1e300 -o " + model);

    CHECK(result.exit_code == 5);
    CHECK(
        result.messages ==
        "mlp: error: the objective must stay finite; it is NaN at iteration 1 "
        "and was 2.25619 before; try standardised features, a stepSize below "
        "1e+300 or clipNorm 1; no model was written\n");
    const json report = json::parse(result.output);
    CHECK(report["objectiveHistory"].back() == "NaN");
    CHECK(report["model"].is_null());
    CHECK(read_bytes(model) == "older");
  }

  TEST_CASE_FIXTURE(InFolder, "writes the model to standard output") {
    const auto piped =
        run_program({"train", data_file("iris.csv"), "-q", "-o", "-"});
    const auto saved = run_program(
        {"train", data_file("iris.csv"), "-q", "-o", folder / "model.json"});

    CHECK(saved.output.empty());
    CHECK(piped.output == read_bytes(folder / "model.json"));
  }

  TEST_CASE_FIXTURE(InFolder, "keeps a scale in the model") {
    for (const std::string flag : {"--standardize", "--scale=10"}) {
      const std::string model = folder / "model.json";
      const json report = train_json(
          "iris.csv", "--layers 4,5,3 --max-iter 20 " + flag + " -o " + model);

      const auto scores =
          run_program({"evaluate", model, data_file("iris.csv"), "--json"});

      CHECK(json::parse(scores.output)["accuracy"] == report["trainAccuracy"]);
    }
  }
}

}  // namespace mlp::test
