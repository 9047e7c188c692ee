// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../has_gloo.hpp"
#include "../../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

constexpr int kInterrupted = 128 + SIGINT;

/// The solvers, with what else has a state of its own. No step depends on
/// --max-iter, and none of them converges soon.
const Words kSolvers = {
    "--solver l-bfgs --tol 0 --label-smoothing 0.1",
    "--solver gd --step-size 0.5 --tol 0",
    "--solver sgd --dropout 0.2",
    "--solver sgd --momentum 0.9 --nesterov --batch-norm",
    "--solver adam --validation 0.2 --patience 1000000",
    "--solver adamw --reg-param 0.01 --schedule 1/t:0.1 --precision float32",
};

Words training(const std::string& flags, const std::string& max_iter,
               const std::string& model) {
  Words words{"train",    data_file("digits.csv"),
              "--layers", "64,300,10",
              "--scale",  "16",
              "--json",   "--threads",
              "1",        "--max-iter",
              max_iter,   "-o",
              model};
  for (const std::string& word : split_words(flags)) words.push_back(word);
  return words;
}

constexpr const char* kEndless = "1000000000";

/// Stops an endless training after its first iteration or later.
ProgramResult interrupt(const Words& words) {
  Program program(with(words, {"--progress", "always"}));
  program.wait_for_message(" left, objective");
  program.send(SIGINT);
  return program.finish();
}

/// The words of one of two ranks that meet in a folder.
Words rank_of_two(const Words& words, int rank, const ScratchFolder& folder) {
  return with(words, {"--rendezvous", folder.path(), "--rank",
                      std::to_string(rank), "--world-size", "2"});
}

/// Runs two ranks as processes.
std::vector<ProgramResult> run_two(const Words& words,
                                   const ScratchFolder& folder) {
  Program first(rank_of_two(words, 0, folder));
  Program second(rank_of_two(words, 1, folder));
  return {first.finish(), second.finish()};
}

}  // namespace

TEST_SUITE("cli/train/program/stopped_training") {
  TEST_CASE("resumes every solver after Ctrl-C to the same bytes") {
    for (const std::string& flags : kSolvers) {
      CAPTURE(flags);
      const ScratchFolder folder;
      // Only the signal makes a checkpoint due.
      const Words state{"--checkpoint", folder / "state", "--checkpoint-every",
                        "10h"};
      const std::string model = folder / "model.json";

      const ProgramResult stopped =
          interrupt(with(training(flags, kEndless, model), state));

      REQUIRE(stopped.exit_code == kInterrupted);
      const json report = json::parse(stopped.output);
      REQUIRE(report["convergenceReason"] == "stoppedByCallback");
      const int num_done = report["totalIterations"].get<int>();
      const std::string more = std::to_string(num_done + 3);
      const ProgramResult resumed = run_program(
          with(with(training(flags, more, model), state), {"--resume"}));
      const std::string expected = folder / "expected.json";
      REQUIRE(run_program(training(flags, more, expected)).exit_code == 0);
      CAPTURE(resumed.messages);
      CHECK(resumed.exit_code == 0);
      CHECK(resumed.messages.find("resumes from") != std::string::npos);
      CHECK(read_bytes(model) == read_bytes(expected));
    }
  }

  TEST_CASE("saves no model before the first step") {
    const ScratchFolder folder;
    const std::string model = folder.write("model.json", "older");
    Program program({"train", data_file("digits.csv"), "--layers",
                     "64,2000,2000,10", "--threads", "1", "-v", "-o", model});
    program.wait_for_message("training begins");

    program.send(SIGINT);
    const ProgramResult stopped = program.finish();

    CHECK(stopped.exit_code == kInterrupted);
    CHECK(stopped.messages.find("stopped by SIGINT before the first step; no "
                                "model was saved") != std::string::npos);
    CHECK(stopped.output.find("(stopped by SIGINT)") != std::string::npos);
    CHECK(read_bytes(model) == "older");
  }

  TEST_CASE("ends mini-batches at the first epoch that is not finite") {
    for (const std::string solver : {"sgd", "adam", "adamw"}) {
      CAPTURE(solver);
      const ProgramResult result = run_program(
          {"train", data_file("iris.csv"), "--layers", "4,5,3", "--json", "-q",
           "--step-size", "1e308", "--max-iter", "5000", "--solver", solver});

      CHECK(result.exit_code == 5);
      const json history = json::parse(result.output)["objectiveHistory"];
      CHECK(history.back().is_string());
      CHECK(history.size() < 10);
      const std::size_t num_lost = static_cast<std::size_t>(
          std::count_if(history.begin(), history.end(),
                        [](const json& number) { return number.is_string(); }));
      CHECK(num_lost == 1);
    }
  }

  TEST_CASE("exits 5 if the weights are infinite after a finite objective") {
    const ScratchFolder folder;
    const std::string rows =
        folder.write("rows.csv", "x,y\n50,0\n-50,1\n50,1\n");
    const std::string model = folder.write("model.json", "older");

    const ProgramResult result = run_program(
        {"train", rows, "--layers", "1,2", "--solver", "sgd", "--step-size",
         "1e308", "--max-iter", "1", "--json", "-q", "-o", model});

    CHECK(result.exit_code == 5);
    CHECK(
        result.messages ==
        "mlp: warning: the network is right for 33.33 % of the training rows, "
        "and a prediction of the largest class is for 66.67 %; standardised "
        "features often help\n"
        "mlp: error: the weights must stay finite; the network has 2 infinite "
        "weights of 4 after iteration 1; try standardised features, a stepSize "
        "below 1e+308 or clipNorm 1; no model was written\n");
    const json report = json::parse(result.output);
    CHECK(report["objectiveHistory"].back().is_number());
    CHECK(report["model"].is_null());
    CHECK(read_bytes(model) == "older");
  }

  TEST_CASE("ends every rank with the code of its signal") {
    if (!has_gloo()) return;
    for (const int signal : {SIGINT, SIGTERM}) {
      const ScratchFolder folder;
      const Words words =
          training("--solver gd --tol 0", kEndless, folder / "{rank}.json");
      Program first(
          with(rank_of_two(words, 0, folder), {"--progress", "always"}));
      Program second(rank_of_two(words, 1, folder));
      first.wait_for_message(" left, objective");

      first.send(signal);
      second.send(signal);

      CHECK(first.finish().exit_code == 128 + signal);
      CHECK(second.finish().exit_code == 128 + signal);
      CHECK(read_bytes(folder / "0.json") == read_bytes(folder / "1.json"));
    }
  }

  TEST_CASE("resumes two processes from one checkpoint to the same bytes") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const std::string flags = "--solver adam --batch-size 64";
    const Words state{"--checkpoint", folder / "state", "--checkpoint-every",
                      "1", "--resume"};
    const std::string expected = folder / "expected.json";
    const std::string model = folder / "model.json";

    for (const ProgramResult& part :
         run_two(with(training(flags, "3", model), state), folder)) {
      REQUIRE(part.exit_code == 0);
    }
    const auto resumed =
        run_two(with(training(flags, "6", model), state), folder);
    const auto whole = run_two(training(flags, "6", expected), folder);

    CHECK(resumed[0].exit_code == 0);
    CHECK(resumed[0].messages.find("resumes from") != std::string::npos);
    CHECK(resumed[1].exit_code == 0);
    CHECK(whole[0].exit_code == 0);
    CHECK(read_bytes(model) == read_bytes(expected));
  }
}

}  // namespace mlp::test
