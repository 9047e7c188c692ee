// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "../run_program.hpp"

using mlp::test::data_file;
using mlp::test::Program;
using mlp::test::ProgramResult;
using mlp::test::run_program;
using mlp::test::ScratchFolder;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Words train_iris(const Words& more) {
  Words words{"train", data_file("iris.csv"), "--layers",
              "4,5,3", "--standardize",       "--seed",
              "7",     "--max-iter",          "5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Runs ranks that meet in a folder, each with flags of its own.
std::vector<ProgramResult> run_ranks(const std::vector<Words>& ranks) {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<Program>> programs;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Words words = ranks[rank];
    const Words flags{"--rendezvous", folder / "meeting",
                      "--rank",       std::to_string(rank),
                      "--world-size", std::to_string(ranks.size())};
    words.insert(words.end(), flags.begin(), flags.end());
    programs.push_back(std::make_unique<Program>(words));
  }
  std::vector<ProgramResult> results;
  for (const auto& program : programs) results.push_back(program->finish());
  return results;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// True where the transport is there; says so where it is not.
bool has_gloo() {
#ifdef MLP_HAS_GLOO
  return true;
#else
  MESSAGE("test skipped: this build has no Gloo");
  return false;
#endif
}

}  // namespace

// The matrix of transports, ranks and solvers stands in rank_matrix.py, what
// happens when ranks are lost in rank_faults.py.
TEST_SUITE("cli/train/ranks") {
  TEST_CASE("reports as one rank does where ranks are threads") {
    const auto result = run_program(train_iris({"--ranks", "2", "--json"}));

    CHECK(result.exit_code == 0);
    const json report = json::parse(result.output);
    CHECK(report["totalIterations"] == 5);
    CHECK(report["trainAccuracy"] > 0.5);
  }

  TEST_CASE("gathers what each rank did in one file") {
    const ScratchFolder folder;
    const auto result = run_program(
        train_iris({"--ranks", "3", "--timeline", folder / "trace.json"}));

    CHECK(result.exit_code == 0);
    std::set<int> ranks;
    for (const json& event : json::parse(read(folder / "trace.json"))) {
      if (event["ph"] == "X") ranks.insert(event["pid"].get<int>());
    }
    CHECK(ranks == std::set<int>{0, 1, 2});
  }

  TEST_CASE("says which exchange plan the first steps chose") {
    const auto result =
        run_program({"train", data_file("iris.csv"), "--layers", "4,5,3",
                     "--solver", "sgd", "--batch-size", "10", "--max-iter",
                     "20", "--ranks", "2", "--autotune"});

    CHECK(result.exit_code == 0);
    CHECK(result.messages.find("--autotune chose --exchange-plan "
                               "'bucketBytes=") != std::string::npos);
  }

  TEST_CASE("trains ranks that meet in a folder and speaks by the first") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const Words words = train_iris({"-o", folder / "model-{rank}.json"});

    const auto results = run_ranks({words, words});

    CHECK(results[0].exit_code == 0);
    CHECK(results[1].exit_code == 0);
    CHECK(results[0].output.find("train accuracy") != std::string::npos);
    CHECK(results[1].output == "");
    CHECK(results[1].messages == "");
    CHECK(read(folder / "model-0.json") == read(folder / "model-1.json"));
  }

  TEST_CASE("names the first option that differs on every rank") {
    if (!has_gloo()) return;
    const auto results =
        run_ranks({train_iris({}), train_iris({"--step-size", "0.5"})});

    for (const ProgramResult& result : results) {
      CHECK(result.exit_code == 7);
      CHECK(result.messages.find(
                "rank 1: has 'stepSize 0.5', but rank 0 has 'stepSize") !=
            std::string::npos);
    }
  }

  TEST_CASE("takes a file for each rank with the same options") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    std::ofstream(folder / "part-0.csv") << "a,b,label\n1,2,0\n3,4,1\n2,2,1\n";
    std::ofstream(folder / "part-1.csv") << "a,b,label\n5,1,1\n";
    const Words words{"train",      folder / "part-{rank}.csv",
                      "--layers",   "2,3,2",
                      "--max-iter", "3"};

    const auto results = run_ranks({words, words});

    CHECK(results[0].exit_code == 0);
    CHECK(results[1].exit_code == 0);
    CHECK(results[1].messages == "");
  }

  TEST_CASE("refuses what needs the whole data where ranks have their own") {
    for (const Words& flags :
         {Words{"--standardize"}, Words{"--split", "0.5,0.5"},
          Words{"--reproducible"}, Words{"--partitions", "2"}}) {
      Words words{"train", "part-{rank}.csv", "--layers", "2,3,2"};
      words.insert(words.end(), flags.begin(), flags.end());

      const auto result = run_program(words);

      CHECK(result.exit_code == 2);
      CHECK(result.messages.find(
                flags.front() +
                ": needs all data on every rank; give all ranks the same "
                "file") != std::string::npos);
    }
  }

  TEST_CASE("leaves with exit code 7 where a rank does not come") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const auto result = run_program(
        train_iris({"--rendezvous", folder / "meeting", "--rank", "0",
                    "--world-size", "2", "--rank-timeout", "0.3"}));

    CHECK(result.exit_code == 7);
    CHECK(result.messages.find("rank 1") != std::string::npos);
  }

  TEST_CASE("ends with the failure of a rank and not with those that lost it") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    std::ofstream(folder / "part-0.csv") << "a,b,label\n1,2,0\n3,4,1\n";
    std::ofstream(folder / "part-1.csv") << "a,b,label\n1,2,5\n3,4,1\n";

    const auto result =
        run_program({"train", folder / "part-{rank}.csv", "--layers", "2,3,2",
                     "--ranks", "2", "--transport", "gloo"});

    CHECK(result.exit_code == 3);
    CHECK(result.messages.find("rank 1: left: ") != std::string::npos);
  }
}
