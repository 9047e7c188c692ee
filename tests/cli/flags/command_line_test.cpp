// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/command_line.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../cli/console/usage_error.hpp"
#include "../../thrown_message.hpp"
#include "../run_program.hpp"

using namespace mlp::cli;

namespace {

CommandLine parse(const std::string& line) {
  return parse_command_line(mlp::test::split_words(line));
}

std::string refusal(const std::string& line) {
  return mlp::test::thrown_message<UsageError>([&] { return parse(line); });
}

}  // namespace

TEST_SUITE("cli/flags/command_line") {
  TEST_CASE("takes flags before and after the command") {
    const CommandLine line = parse("--json train iris.csv --quiet -o m.json");

    CHECK(line.command->name == "train");
    CHECK(line.arguments == std::vector<std::string>{"iris.csv"});
    CHECK(line.has("json"));
    CHECK(line.has("quiet"));
    CHECK(line.value("out") == "m.json");
    CHECK_FALSE(line.has("label"));
  }

  TEST_CASE("takes a value after a space or an equals sign") {
    for (const char* text :
         {"train x --max-iter 9", "train x --max-iter=9", "train x --maxIter 9",
          "train x --max_iter=9", "train --MAXITER 9 x"}) {
      CAPTURE(text);
      CHECK(parse(text).value("max-iter") == "9");
    }
  }

  TEST_CASE("takes a value that is attached to a letter") {
    CHECK(parse("train x -om.json").value("out") == "m.json");
  }

  TEST_CASE("keeps what follows the first equals sign") {
    CHECK(parse("train x --label=a=b").value("label") == "a=b");
  }

  TEST_CASE("takes negative numbers and a dash as values") {
    CHECK(parse("train x --label -1").value("label") == "-1");
    CHECK(parse("train x --seed -5").value("seed") == "-5");
    CHECK(parse("train x --tol -.5").value("tol") == "-.5");
    CHECK(parse("train x -o -").value("out") == "-");
    CHECK(parse("train -").arguments == std::vector<std::string>{"-"});
  }

  TEST_CASE("ends the flags at two dashes") {
    const CommandLine line = parse("train -- --data.csv");

    CHECK(line.arguments == std::vector<std::string>{"--data.csv"});
  }

  TEST_CASE("accepts a question without arguments") {
    CHECK(parse("train --help").command->name == "train");
    CHECK(parse("--version").command == nullptr);
  }

  TEST_CASE("refuses an unknown flag and suggests one") {
    CHECK(refusal("train x --max-itr 3") ==
          "unknown flag '--max-itr'; did you mean --max-iter?");
    CHECK(refusal("train x --max 3") ==
          "unknown flag '--max'; did you mean --max-iter?");
    CHECK(refusal("train x --frobnicate") ==
          "unknown flag '--frobnicate'; mlp train --help lists the flags");
    CHECK(refusal("--jsno") == "unknown flag '--jsno'; did you mean --json?");
    CHECK(refusal("train x -z") ==
          "unknown flag '-z'; mlp train --help lists the flags");
  }

  TEST_CASE("refuses an unknown command and suggests one") {
    CHECK(refusal("trian x") == "unknown command 'trian'; did you mean train?");
    CHECK(refusal("frobnicate") ==
          "unknown command 'frobnicate'; expected one of train, predict, "
          "evaluate, featurize, inspect, doctor, completion, help");
  }

  TEST_CASE("refuses a flag that is given twice in any spelling") {
    CHECK(refusal("train x --max-iter 1 --maxIter 1") ==
          "--max-iter: was given twice; give it once");
    CHECK(refusal("--json train x --json") ==
          "--json: was given twice; give it once");
  }

  TEST_CASE("joins lists of columns that are given several times") {
    const auto line = parse_command_line(
        {"predict", "m", "x", "--ignore", "a,b", "--keep=c", "--ignore",
         "\"d,e\"", "--features", "1", "--features", "2"});

    CHECK(line.value("ignore") == "a,b,\"d,e\"");
    CHECK(line.value("keep") == "c");
    CHECK(line.value("features") == "1,2");
    CHECK(refusal("train x --one-hot a --one-hot b") ==
          "--one-hot: was given twice; give it once");
  }

  TEST_CASE("refuses a missing and a superfluous value") {
    CHECK(refusal("train x --label") ==
          "--label: the value is missing; expected column, got nothing");
    CHECK(refusal("train x --label --json") ==
          "--label: the value is missing; expected column, got '--json'; write "
          "--label=VALUE for a value that begins with a dash");
    CHECK(refusal("train x --label=") ==
          "--label: the value is missing; expected column, got ''");
    CHECK(refusal("train x --json=yes") == "--json: takes no value; got 'yes'");
  }

  TEST_CASE("refuses a flag of another command") {
    CHECK(refusal("predict m d --layers 4,3") ==
          "--layers: is not a flag of predict; mlp predict --help lists its "
          "flags");
  }

  TEST_CASE("refuses a wrong number of arguments") {
    CHECK(
        refusal("train") ==
        "train: expected at least 1 argument, got 0; write mlp train DATA...");
    CHECK(refusal("predict m") ==
          "predict: expected at least 2 arguments, got 1; write mlp predict "
          "MODEL "
          "DATA...");
    CHECK(refusal("help train predict") ==
          "unexpected argument 'predict'; expected mlp help [COMMAND]");
    CHECK(
        refusal("train a --quiet 2") ==
        "unexpected argument '2'; expected mlp train DATA...; --quiet takes no "
        "value");
  }

  TEST_CASE(
      "takes any number of data files behind the model, if there is one") {
    using Words = std::vector<std::string>;

    CHECK(parse_command_line({"train", "a", "b"}).data() == Words{"a", "b"});
    CHECK(parse_command_line({"predict", "m", "a", "b"}).data() ==
          Words{"a", "b"});
  }
}
