// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/console/training_notes.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using test::run_program;
using test::ScratchFolder;

constexpr const char* kAdvice =
    "; most networks need standardised features, of mean 0 and deviation 1; "
    "--standardize scales them; --preset modern does so, and chooses the other "
    "values for most tables\n";

/// What a training with layers 2,2 says about features.
std::string notes_on(const std::string& rows, const std::string& flag = "") {
  const ScratchFolder folder;
  std::vector<std::string> words{"train",      folder.write("t.csv", rows),
                                 "--layers",   "2,2",
                                 "--label",    "-1",
                                 "--max-iter", "9",
                                 "-o",         folder / "m"};
  if (!flag.empty()) words.push_back(flag);
  return run_program(words).messages;
}

}  // namespace

TEST_SUITE("cli/console/training_notes") {
  TEST_CASE("notes features of very different sizes") {
    CHECK(notes_on("big,small,y\n50,-0.4,0\n-60,0.3,1\n") ==
          "mlp: note: feature 'big' reaches 60, and feature 'small' only 0.4" +
              std::string(kAdvice));
  }

  TEST_CASE("notes large features") {
    CHECK(notes_on("a,b,y\n101,-40,0\n60,99,1\n") ==
          "mlp: note: feature 'a' reaches 101" + std::string(kAdvice));
  }

  TEST_CASE("says nothing about features near 1, or constant zeros") {
    CHECK(notes_on("a,b,y\n1,-40,0\n2,100,1\n") == "");
    CHECK(notes_on("a,b,y\n1,0,0\n2,0,1\n") == "");
  }

  TEST_CASE("names the preset modern only if --layers chose Spark's") {
    CHECK(notes_on("a,b,y\n101,-40,0\n60,99,1\n", "--preset=spark") ==
          "mlp: note: feature 'a' reaches 101; most networks need standardised "
          "features, of mean 0 and deviation 1; --standardize scales them\n");
  }

  TEST_CASE("says nothing if flags scale or the program is quiet") {
    const std::string rows = "a,b,y\n1000,-1,0\n60,9,1\n";

    CHECK(notes_on(rows, "--standardize") == "");
    CHECK(notes_on(rows, "--no-standardize") == "");
    CHECK(notes_on(rows, "--scale=1") == "");
    CHECK(notes_on(rows, "-q") == "");
  }

  TEST_CASE("notes a network that is no better than the largest class") {
    const std::string rows = "a,b,y\n1,1,p\n1,1,q\n1,1,p\n";

    CHECK(notes_on(rows) ==
          "mlp: warning: the network is right for 66.67 % of the training "
          "rows, and "
          "a prediction of the largest class is for 66.67 %; standardised "
          "features often help\n");
    CHECK(
        notes_on(rows, "--standardize") ==
        "mlp: warning: the network is right for 66.67 % of the training rows, "
        "and a prediction of the largest class is for 66.67 %; the features "
        "may say nothing about the labels; other layers may help\n");
  }

  TEST_CASE("does not compare with the largest class if there is only one") {
    CHECK(notes_on("a,b,y\n1,1,0\n2,1,0\n").find("largest class") ==
          std::string::npos);
  }

  TEST_CASE("writes warnings as JSON") {
    CHECK(warnings_json({}) == "[]");
    CHECK(warnings_json({{FitWarningCode::kOverfit, "a \"b\"", {{"x", 1.5}}},
                         {FitWarningCode::kStillImproving, "c", {}}}) ==
          "[{\"code\": \"overfit\", \"sentence\": \"a \\\"b\\\"\", "
          "\"numbers\": {\"x\": 1.5}}, {\"code\": \"stillImproving\", "
          "\"sentence\": \"c\", \"numbers\": {}}]");
  }

  TEST_CASE("ends with exit code 3 with --strict, and keeps the model") {
    const ScratchFolder folder;
    const std::vector<std::string> words{
        "train",    folder.write("t.csv", "a,b,y\n1,1,p\n1,1,q\n1,1,p\n"),
        "--layers", "2,2",
        "--label",  "-1",
        "--strict", "--json",
        "-o",       folder / "m"};

    const auto result = run_program(words);

    CHECK(result.exit_code == 3);
    CHECK(result.messages.find("mlp: error: --strict: the training has "
                               "warnings: noBetterThanConstant\n") !=
          std::string::npos);
    CHECK(result.output.find("\"code\": \"noBetterThanConstant\"") !=
          std::string::npos);
    CHECK(std::filesystem::exists(folder / "m"));
  }

  TEST_CASE("notes a score far above that of unseen rows") {
    const ScratchFolder folder;
    std::string rows = "a,b,y\n";
    for (int i = 0; i < 60; ++i) {
      rows += std::to_string(i * 37 % 61) + ',' + std::to_string(i * i % 59) +
              ',' + std::to_string(i * 7 % 5 % 2) + '\n';
    }
    const std::vector<std::string> words{
        "train",       folder.write("t.csv", rows),
        "--label",     "y",
        "--folds",     "5",
        "--reg-param", "0",
        "--effort",    "quick",
        "-o",          folder / "m"};

    const auto result = run_program(words);

    CHECK(
        result.messages.find("on unseen rows: the network learns the training "
                             "rows by heart; a larger regParam or more "
                             "rows help\n") != std::string::npos);
  }
}

}  // namespace mlp::cli
