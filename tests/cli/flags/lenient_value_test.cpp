// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/lenient_value.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "../run_program.hpp"

namespace mlp::cli {

namespace {

std::string written(const char* flag, const std::string& value) {
  return written_value(*find_option(flag), value);
}

std::string hint(const char* flag, const std::string& value) {
  return value_hint(*find_option(flag), value);
}

std::string trained_model(const mlp::test::ScratchFolder& folder,
                          std::vector<std::string> words) {
  const std::string model = folder / "model.json";
  words.insert(words.begin(),
               {"train", mlp::test::data_file("iris.csv"), "--layers", "4,5,3",
                "--max-iter", "3", "-o", model});
  const auto result = mlp::test::run_program(words);
  CAPTURE(result.messages);
  CHECK(result.exit_code == 0);
  return mlp::test::read_bytes(model);
}

}  // namespace

TEST_SUITE("cli/flags/lenient_value") {
  TEST_CASE("finds a name in any of its spellings") {
    CHECK(written("activation", "ReLU") == "relu");
    CHECK(written("activation", "leakyRelu") == "leaky-relu");
    CHECK(written("activation", "leaky_relu") == "leaky-relu");
    CHECK(written("solver", "LBFGS") == "l-bfgs");
    CHECK(written("solver", "lbfgs") == "l-bfgs");
    CHECK(written("solver", "l_bfgs") == "l-bfgs");
    CHECK(written("solver", "Adam") == "adam");
    CHECK(written("init", "he_normal") == "he-normal");
    CHECK(written("init", "He") == "he-normal");
    CHECK(written("output", "RawPrediction,PROBABILITY") ==
          "rawPrediction,probability");
    CHECK(written("device", "CPU") == "cpu");
  }

  TEST_CASE("finds each name of a list") {
    CHECK(written("activation", "ReLU,Tanh") == "relu,tanh");
    CHECK(written("activation", "[ReLU, Tanh]") == "[relu, tanh]");
    CHECK(written("activation", "ReLU,,x") == "relu,,x");
  }

  TEST_CASE("takes other names that mean exactly the same") {
    CHECK(written("init", "glorot_uniform") == "xavier-uniform");
    CHECK(written("init", "xavier_uniform") == "xavier-uniform");
    CHECK(written("init", "GlorotNormal") == "xavier-normal");
    CHECK(written("init", "kaiming_normal") == "he-normal");
    CHECK(written("init", "kaiming_uniform") == "he-uniform");
    CHECK(written("activation", "logistic") == "sigmoid");
    CHECK(written("activation", "SiLU") == "swish");
    CHECK(written("precision", "double") == "float64");
  }

  TEST_CASE("keeps words that name nothing") {
    CHECK(written("solver", "sdg") == "sdg");
    CHECK(written("solver", "") == "");
    CHECK(written("init", "kaiming") == "kaiming");
    CHECK(written("device", "cuda:1") == "cuda:1");
    CHECK(written("label", "ReLU") == "ReLU");
    CHECK(written("solver", "logistic") == "logistic");
  }

  TEST_CASE("gives each name of a flag a spelling of its own") {
    for (const auto& option : kOptionTable) {
      std::set<std::string> spellings;
      for (const std::string_view choice : option.choices) {
        CAPTURE(option.name);
        CHECK(spellings.insert(canonical_name(choice)).second);
      }
    }
    for (const auto& other : kOtherNames) {
      CAPTURE(other.name);
      const auto choices = find_option(other.param)->choices;
      CHECK(std::count(choices.begin(), choices.end(), other.written) == 1);
    }
  }

  TEST_CASE("hints at what has another name here") {
    CHECK(hint("init", "Kaiming") == "; did you mean he-normal or he-uniform?");
    CHECK(hint("output", "result.csv") ==
          "; write the result to a file with -o result.csv");
    CHECK(hint("solver", "adam").empty());
    CHECK(hint("output", "predictions").empty());
    for (const auto& value : cli::kValueHints) {
      const auto* option = find_option(value.flag);
      CAPTURE(value.name);
      REQUIRE(option != nullptr);
      CHECK(written_value(*option, std::string(value.name)) == value.name);
    }
  }

  TEST_CASE("writes the names of the list to the model") {
    const mlp::test::ScratchFolder folder;

    const std::string strict =
        trained_model(folder, {"--activation", "leaky-relu", "--init",
                               "he-normal", "--solver", "adam"});
    const std::string lenient =
        trained_model(folder, {"--activation", "leakyRelu", "--init",
                               "He_Normal", "--solver", "ADAM"});

    const auto without_uid = [](std::string text) {
      text.erase(text.find("\"uid\""), 80);
      return text.substr(0, text.find("\"sha256\""));
    };
    CHECK(without_uid(lenient) == without_uid(strict));
  }
}

}  // namespace mlp::cli
