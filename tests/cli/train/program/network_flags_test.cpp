// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../../activations/activation.hpp"
#include "../../../../core/names.hpp"
#include "../../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

/// Trains with the flags in a text.
ProgramResult train(const std::string& file, const std::string& flags) {
  return run_program(with({"train", file, "--json", "-q"}, split_words(flags)));
}

json train_json(const std::string& file, const std::string& flags) {
  const ProgramResult result = train(file, flags);
  CAPTURE(flags);
  CAPTURE(result.messages);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.output);
}

/// y = 3 a - 2 b + 1 on a grid, with a column of weights.
std::string write_plane(const ScratchFolder& folder) {
  const std::string path = folder / "plane.csv";
  std::ofstream stream(path);
  stream << "a,b,y,w\n";
  for (int a = -6; a <= 6; ++a) {
    for (int b = -6; b <= 6; ++b) {
      stream << a / 6.0 << ',' << b / 6.0 << ','
             << 3 * a / 6.0 - 2 * b / 6.0 + 1 << ",1\n";
    }
  }
  return path;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

}  // namespace

TEST_SUITE("cli/train/program/network_flags") {
  TEST_CASE("learns the digits with ReLU, L2 and l-bfgs") {
    std::vector<double> accuracies;
    for (const char* seed : {"1", "2", "3", "4", "5"}) {
      const json result = train_json(
          data_file("digits.csv"),
          std::string("--layers 64,64,10 --standardize --activation relu "
                      "--init he --reg-param 0.003 --split 0.7,0.3 --seed ") +
              seed);
      accuracies.push_back(result["testAccuracy"].get<double>());
    }

    CHECK(median(accuracies) >= 0.97);
  }

  TEST_CASE("trains with every solver, activation and part") {
    for (const std::string flags :
         {"--solver gd --step-size 0.5 --clip-norm 1 --clip-value 0.5",
          "--solver sgd --momentum 0.9 --nesterov --step-size 0.05",
          "--solver adam --batch-norm --dropout 0.1 --activation leaky-relu",
          "--solver adamw --reg-param 0.01 --residual --activation swish",
          "--activation elu,tanh --residual --label-smoothing 0.1",
          "--activation softplus --class-weights 1,1,2 --history-size 20",
          "--solver adam --step-size 0.02 --schedule cosine,warmup:2 "
          "--batch-size 16 --init he --activation relu"}) {
      const json result =
          train_json(data_file("iris.csv"),
                     "--layers 4,8,8,3 --standardize --max-iter 60 " + flags);

      CAPTURE(flags);
      CHECK(result["objectiveHistory"].size() > 10);
      CHECK(result["objectiveHistory"].back() <
            result["objectiveHistory"].front());
      CHECK(result["trainAccuracy"] > 0.6);
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "gives the same model for any number of threads") {
    const std::string flags =
        "--layers 64,40,20,10 --solver adam --batch-norm --dropout 0.2 "
        "--residual --activation relu --max-iter 3 --validation 0.2 -o ";
    for (const char* threads : {"1", "2", "3"}) {
      const std::string model = (folder / "model") + threads;
      REQUIRE(train(data_file("digits.csv"),
                    flags + model + " --threads " + threads)
                  .exit_code == 0);
    }

    const std::string first = read_bytes(folder / "model1");
    CHECK(read_bytes(folder / "model2") == first);
    CHECK(read_bytes(folder / "model3") == first);
  }

  TEST_CASE_FIXTURE(InFolder, "saves what Spark lacks and scores it again") {
    const std::string model = folder / "model.json";
    const json trained = train_json(
        data_file("iris.csv"),
        "--layers 4,10,6,3 --standardize --solver adam --step-size 0.01 "
        "--batch-norm --residual --dropout 0.1 --activation relu,elu "
        "--max-iter 60 -o " +
            model);

    CHECK(run_program({"inspect", model, "--verify"}).exit_code == 0);
    const ProgramResult scored =
        run_program({"evaluate", model, data_file("iris.csv"), "--json", "-q"});
    CHECK(scored.exit_code == 0);
    CHECK(json::parse(scored.output)["accuracy"] == trained["trainAccuracy"]);
    CHECK(json::parse(read_bytes(model))["formatVersion"] == 2);
  }

  TEST_CASE_FIXTURE(InFolder, "writes Spark's networks as version 1 still") {
    const std::string model = folder / "model.json";
    static_cast<void>(
        train_json(data_file("iris.csv"), "--layers 4,5,4,3 -o " + model));

    const json document = json::parse(read_bytes(model));
    CHECK(document["formatVersion"] == 1);
    CHECK(document["params"].size() == 6);
    CHECK_FALSE(document.contains("network"));
  }

  TEST_CASE_FIXTURE(InFolder, "meets numbers with --task regression") {
    const std::string plane = write_plane(folder);
    const std::string model = folder / "plane.json";

    const json result =
        train_json(plane,
                   "--task regression --label y --weight-col w --layers 2,8,1 "
                   "--activation tanh --split 0.8,0.2 -o " +
                       model);

    CHECK(result["testR2"] > 0.99);
    CHECK(result["trainRmse"] < 0.2);
    const ProgramResult scored =
        run_program({"evaluate", model, plane, "--label", "y", "--json", "-q"});
    CHECK(scored.exit_code == 0);
    CHECK(json::parse(scored.output)["r2"] > 0.99);
    const ProgramResult predicted =
        run_program({"predict", model, plane, "-q"});
    CHECK(predicted.output.substr(0, 11) == "prediction\n");
  }

  TEST_CASE("stops where the validation set has not improved") {
    const json result = train_json(
        data_file("digits.csv"),
        "--layers 64,64,10 --scale 16 --validation 0.3 --patience 5 "
        "--max-iter 1000 --solver adam --step-size 0.01 --batch-size 32");

    CHECK(result["convergenceReason"] == "validationStalled");
    CHECK(result["totalIterations"] < 1000);
    CHECK(result["validationAccuracy"] > 0.9);
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "starts from a model, replaces its last layer and freezes the rest") {
    const std::string first = folder / "first.json";
    const std::string second = folder / "second.json";
    static_cast<void>(train_json(data_file("iris.csv"),
                                 "--layers 4,6,5,3 --standardize --activation "
                                 "tanh -o " +
                                     first));

    static_cast<void>(
        train_json(data_file("iris.csv"), "--warm-start " + first +
                                              " --layers 4,6,5,4 --freeze 1,2 "
                                              "--max-iter 20 -o " +
                                              second));

    const json a = json::parse(read_bytes(first));
    const json b = json::parse(read_bytes(second));
    const std::size_t num_frozen = 4 * 6 + 6 + 6 * 5 + 5;
    for (std::size_t i = 0; i < num_frozen; ++i) {
      CHECK(a["weights"]["data"][i] == b["weights"]["data"][i]);
    }
    CHECK(b["activation"] == "tanh");
    CHECK(a["input"]["mean"] == b["input"]["mean"]);
  }

  TEST_CASE_FIXTURE(InFolder, "writes what a hidden layer makes of instances") {
    const std::string model = folder / "model.json";
    static_cast<void>(
        train_json(data_file("iris.csv"), "--layers 4,3,3 -o " + model));

    const ProgramResult result =
        run_program({"featurize", model, data_file("iris.csv"), "--layer", "1",
                     "--label", "species"});

    CHECK(result.exit_code == 0);
    CHECK(result.output.substr(0, result.output.find('\n')) ==
          "hidden1_0,hidden1_1,hidden1_2,species");
    CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 151);
    CHECK(
        run_program({"featurize", model, data_file("iris.csv"), "--layer", "2"})
            .messages ==
        "mlp: error: layer must be a hidden one, 1 to 1 for layers [4, 3, 3]; "
        "got 2\n");
  }

  TEST_CASE("refuses what a solver cannot have, and says why") {
    const auto refusal = [](const std::string& flags) {
      const ProgramResult result =
          train(data_file("iris.csv"), "--layers 4,5,3 " + flags);
      CHECK(result.exit_code == 2);
      return result.messages;
    };

    CHECK(refusal("--batch-norm") ==
          "mlp: error: --batch-norm: batchNorm must be off with solvers l-bfgs "
          "and gd, which use all rows at once and have no mini-batches to "
          "normalise over; use sgd, adam or adamw\n");
    CHECK(
        refusal("--clip-norm 1") ==
        "mlp: error: --clip-norm: clipNorm must be 0 with solver l-bfgs, whose "
        "line search needs the unchanged gradient; use another solver\n");
    CHECK(refusal("--activation rely") ==
          "mlp: error: --activation: activation must be one of " +
              join_names(Activation::names(), ", ") +
              " for all hidden layers, or one for each; got 'rely'\n");
    CHECK(refusal("--freeze 3") ==
          "mlp: error: --freeze: freeze must be layers from 1 to 2 for layers "
          "[4, 5, 3]; got 3\n");
  }
}

}  // namespace mlp::test
