// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

/// A trained model as JSON, and what the program reported.
struct Trained {
  json report;
  json model;
  std::string messages;
};

Trained train(const std::string& data, const std::string& flags) {
  const ScratchFolder folder;
  std::vector<std::string> words = split_words(flags);
  if (words.back().empty()) words.pop_back();
  words.insert(words.begin(),
               {"train", data, "--json", "-o", folder / "model.json"});
  const auto result = run_program(words);
  CAPTURE(result.messages);
  REQUIRE(result.exit_code == 0);
  return {json::parse(result.output),
          json::parse(read_bytes(folder / "model.json")), result.messages};
}

/// The odd or the even rows of iris, with its header.
std::string write_half(const ScratchFolder& folder, int first) {
  std::istringstream stream(read_bytes(data_file("iris.csv")));
  std::string text;
  std::string line;
  for (int i = 0; std::getline(stream, line); ++i) {
    if (i == 0 || i % 2 == first) text += line + '\n';
  }
  return folder.write(std::to_string(first) + ".csv", text);
}

json weights_of(const std::string& flags) {
  return train(data_file("iris.csv"),
               "--layers 4,6,3 --solver sgd --batch-size 10 --max-iter 3 "
               "--step-size 0.1 " +
                   flags)
      .model["weights"]["data"];
}

}  // namespace

TEST_SUITE("cli/train/program/saved_model") {
  TEST_CASE("states the precision and the rows it was trained on") {
    const std::string iris = data_file("iris.csv");
    const std::string flags = "--layers 4,3 --max-iter 2 ";

    const Trained whole = train(iris, flags);
    const Trained part = train(iris, flags + "--split 0.6,0.4 --seed 3");
    const Trained single = train(iris, flags + "--precision float32");

    CHECK(whole.model["training"]["rows"] == 150);
    CHECK_FALSE(whole.model["training"].contains("precision"));
    CHECK(part.model["training"]["rows"] == part.report["rows"]);
    CHECK(part.report["rows"].get<int>() + part.report["testRows"].get<int>() ==
          150);
    CHECK(single.model["training"]["precision"] == "float32");
    CHECK(single.report["precision"] == "float32");
    CHECK(single.model["weights"]["data"] != whole.model["weights"]["data"]);
  }

  TEST_CASE("keeps names, thresholds and the first rows before scaling") {
    const Trained trained =
        train(data_file("iris.csv"),
              "--layers 4,3 --max-iter 2 --standardize --thresholds 1,2,3");

    CHECK(trained.model["input"]["featureNames"][0] == "sepal_length");
    CHECK(trained.model["labels"] == json{"setosa", "versicolor", "virginica"});
    CHECK(trained.model["thresholds"] == json{1, 2, 3});
    CHECK(trained.model["selfTest"].size() == 3);
    CHECK(trained.model["selfTest"][0]["features"] == json{5.1, 3.5, 1.4, 0.2});
  }

  TEST_CASE("is measured on each part of the rows alone") {
    const ScratchFolder folder;
    const std::string odd = write_half(folder, 1);
    const std::string even = write_half(folder, 0);
    const std::string model = folder / "model.json";
    const auto result = run_program(
        {"train", odd, "--layers", "4,3", "--max-iter", "4", "--standardize",
         "--validation", even, "--json", "-q", "-o", model});
    REQUIRE(result.exit_code == 0);
    const auto accuracy = [&](const std::string& rows) {
      return json::parse(run_program({"evaluate", model, rows, "--json", "-q"})
                             .output)["accuracy"];
    };

    const json report = json::parse(result.output);

    CHECK(report["rows"] == 75);
    CHECK(report["validationRows"] == 75);
    CHECK(report["trainAccuracy"] == accuracy(odd));
    CHECK(report["validationAccuracy"] == accuracy(even));
    CHECK(accuracy(odd) != accuracy(even));
  }

  TEST_CASE("follows --wire and --exchange-plan on several ranks") {
    const json computed = weights_of("--ranks 2");
    const json rounded = weights_of("--ranks 2 --wire bfloat16");

    CHECK(computed == weights_of("--ranks 2 --wire asComputed"));
    CHECK(rounded != computed);
    CHECK(rounded == weights_of("--ranks 2 --exchange-plan wire=bfloat16"));
    CHECK(rounded != weights_of("--ranks 2 --wire float16"));
  }

  TEST_CASE("has the bits of one rank with --reproducible") {
    const json one = weights_of("--reproducible");

    CHECK(weights_of("--reproducible --ranks 2") == one);
    CHECK(weights_of("--reproducible --ranks 3") == one);
  }

  TEST_CASE("is trained with at most as many threads as asked for") {
    const auto says = [](const std::string& flags, const std::string& text) {
      const Trained trained =
          train(data_file("iris.csv"), "--max-iter 1 -v " + flags);
      return trained.messages.find(text) != std::string::npos;
    };

    CHECK(says("--threads 3", "with at most 3 threads"));
    CHECK(says("--threads 3 --precision float32", ", in float32, with"));
    CHECK(says("--threads 1 --backend reference", "kernels reference, in"));
  }
}

}  // namespace mlp::test
