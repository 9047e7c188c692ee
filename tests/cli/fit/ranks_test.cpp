// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../has_gloo.hpp"
#include "../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

Words train_iris(const Words& more) {
  return with({"train", data_file("iris.csv"), "--layers", "4,5,3",
               "--standardize", "--seed", "7", "--max-iter", "5"},
              more);
}

/// Runs ranks that meet in a folder, each with flags of its own.
std::vector<ProgramResult> run_ranks(const std::vector<Words>& ranks) {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<Program>> programs;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    Words words = ranks[rank];
    const Words flags{"--rendezvous", folder.path(),
                      "--rank",       std::to_string(rank),
                      "--world-size", std::to_string(ranks.size())};
    words.insert(words.end(), flags.begin(), flags.end());
    programs.push_back(std::make_unique<Program>(words));
  }
  std::vector<ProgramResult> results;
  for (const auto& program : programs) results.push_back(program->finish());
  return results;
}

/// Two parts of a file with labels that are texts. "b" is the most frequent label
/// of the first part only, "a" of the second and of both together.
struct Parts {
  static constexpr const char* kHeader = "u,v,kind\n";
  static constexpr const char* kFirst = "1,9,b\n2,8,b\n";
  static constexpr const char* kSecond =
      "3,1,a\n4,2,a\n5,1,a\n6,7,b\n9,9,c\n8,9,c\n";

  Parts() {
    write("part-0.csv", std::string(kHeader) + kFirst);
    write("part-1.csv", std::string(kHeader) + kSecond);
    write("all.csv", std::string(kHeader) + kFirst + kSecond);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }

  /// A training of one of the files, with the model in another.
  [[nodiscard]] Words train(const std::string& data,
                            const std::string& model) const {
    return {"train", folder / data, "--seed", "3",           "--max-iter",
            "5",     "-q",          "--json", "--label",     "kind",
            "--tol", "0",           "-o",     folder / model};
  }

  [[nodiscard]] json model(const std::string& name) const {
    return json::parse(read_bytes(folder / name));
  }

  ScratchFolder folder;
};

/// Checks numbers that were summed in another order, over a few iterations.
void check_close(const json& got, const json& expected) {
  constexpr double kPathTolerance = 1e-9;
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].get<double>() ==
          doctest::Approx(expected[i].get<double>()).epsilon(kPathTolerance));
  }
}

const Words kTwoProcesses{"--ranks", "2", "--transport", "gloo"};

}  // namespace

// The matrix of transports, ranks and solvers stands in rank_matrix.py, what
// happens when ranks are lost in rank_faults.py.
TEST_SUITE("cli/fit/ranks") {
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
    for (const json& event : json::parse(read_bytes(folder / "trace.json"))) {
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

  TEST_CASE("refuses --timeline on one rank only") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const Words words = train_iris({"--timeline", folder / "trace.json"});
    for (const auto& result : run_ranks({train_iris({}), words})) {
      CHECK(result.exit_code == 7);
      CHECK(result.messages.find("rank 1: has 'timeline yes', but rank 0 has "
                                 "'timeline no'") != std::string::npos);
    }
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
    CHECK(read_bytes(folder / "model-0.json") ==
          read_bytes(folder / "model-1.json"));
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

  TEST_CASE("names the partitions if they differ") {
    if (!has_gloo()) return;
    for (const ProgramResult& result :
         run_ranks({train_iris({"--partition-sizes", "75,75"}),
                    train_iris({"--partition-sizes", "70,80"})})) {
      CHECK(result.exit_code == 7);
      CHECK(result.messages.find("'partition-sizes ") != std::string::npos);
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

  TEST_CASE("numbers labels that are texts as one process does") {
    if (!has_gloo()) return;
    const Parts parts;
    const auto alone = run_program(
        with(parts.train("all.csv", "alone.json"), {"--effort", "quick"}));
    const auto ranks = run_program(with(
        parts.train("part-{rank}.csv", "model-{rank}.json"), kTwoProcesses));

    REQUIRE(alone.exit_code == 0);
    REQUIRE(ranks.exit_code == 0);
    CHECK(read_bytes(parts.folder / "model-0.json") ==
          read_bytes(parts.folder / "model-1.json"));
    const json expected = parts.model("alone.json");
    const json got = parts.model("model-0.json");
    CHECK(got["labels"] == json({"a", "b", "c"}));
    CHECK(got["labels"] == expected["labels"]);
    CHECK(got["layers"] == expected["layers"]);
    check_close(got["weights"]["data"], expected["weights"]["data"]);
    CHECK(got["selfTest"].size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(got["selfTest"][i]["features"] ==
            expected["selfTest"][i]["features"]);
    }
  }

  TEST_CASE("reports the rows of all ranks") {
    if (!has_gloo()) return;
    const Parts parts;
    for (const Words& flags :
         {Words{"--effort", "quick"},
          Words{"--task", "regression", "--layers", "1,3,1", "--label", "v"}}) {
      parts.write("part-0.csv", "u,v\n1,2\n2,1\n4,0\n");
      parts.write("part-1.csv", "u,v\n5,3\n6,0\n");
      parts.write("all.csv", "u,v\n1,2\n2,1\n4,0\n5,3\n6,0\n");
      const auto words = [&](const std::string& data) {
        return with({"train", parts.folder / data, "--seed", "3", "--max-iter",
                     "2", "--json"},
                    flags);
      };

      const auto alone = json::parse(run_program(words("all.csv")).output);
      const auto ranks = json::parse(
          run_program(with(words("part-{rank}.csv"), kTwoProcesses)).output);

      CHECK(ranks["rows"] == 5);
      CHECK(ranks["layers"] == alone["layers"]);
      for (const char* const name : {"trainAccuracy", "trainR2", "trainRmse"}) {
        if (!alone.contains(name)) continue;
        check_close(json::array({ranks[name]}), json::array({alone[name]}));
      }
    }
  }

  TEST_CASE("refuses on all ranks what belongs to no common training") {
    if (!has_gloo()) return;
    const Parts parts;
    const std::string columns =
        "; give every rank the same columns in the same order";
    for (const auto& [second, difference] :
         std::vector<std::pair<std::string, std::string>>{
             {"v,u,kind\n1,2,a\n",
              "'feature 0 v', but rank 0 has 'feature 0 u'" + columns},
             {"u,kind\n1,a\n",
              "'features 1', but rank 0 has 'features 2'" + columns},
             {"u,v,kind\n1,2,0\n",
              "'labels numbers', but rank 0 has 'labels texts'" + columns}}) {
      parts.write("part-1.csv", second);
      const Words words = parts.train("part-{rank}.csv", "model-{rank}.json");

      for (const auto& result : run_ranks({words, words})) {
        CHECK(result.exit_code == 7);
        CHECK(result.messages ==
              "mlp: error: rank 1: has " + difference + '\n');
      }
      CHECK(read_bytes(parts.folder / "model-0.json") == "");
    }
  }

  TEST_CASE("refuses ranks that read other data by the same name") {
    if (!has_gloo()) return;
    const Parts parts;
    const auto results = run_ranks({parts.train("part-0.csv", "model.json"),
                                    parts.train("part-1.csv", "model.json")});

    for (const auto& result : results) {
      CHECK(result.exit_code == 7);
      CHECK(result.messages ==
            "mlp: error: rank 1: has 'instances 6', but rank 0 has 'instances "
            "2'; let all ranks read the same file, or name the file of each "
            "rank with {rank}\n");
    }
  }

  TEST_CASE("refuses standard input for processes, and reads it for threads") {
    const Words words{"train", "-", "--layers", "2,3,2", "--ranks", "2"};

    const auto processes = run_program(with(words, {"--transport", "gloo"}));
    const auto threads = run_program(words);

    CHECK(processes.exit_code == 2);
    CHECK(processes.messages ==
          "mlp: error: the data file: must be a regular file if the ranks are "
          "processes, because each of them reads it; save the data to a file, "
          "or use --transport threads; got '-'\n");
    CHECK(threads.exit_code == 3);
  }

  TEST_CASE("writes the timeline of a group of one") {
    const ScratchFolder folder;
    const auto result = run_program(
        train_iris({"--ranks", "1", "--timeline", folder / "trace.json"}));

    CHECK(result.exit_code == 0);
    CHECK(json::parse(read_bytes(folder / "trace.json")).is_array());
  }

  TEST_CASE("ends with the signal that a rank above 0 received") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    Words words = train_iris(
        {"--solver", "gd", "--tol", "0", "--progress", "always", "--rendezvous",
         folder.path(), "--world-size", "2", "-o", folder / "model.json"});
    words[8] = "2000000000";
    REQUIRE(words[7] == "--max-iter");
    Program first(with(words, {"--rank", "0"}));
    Program second(with(words, {"--rank", "1"}));
    first.wait_for_message("iteration 1");

    second.send(SIGTERM);

    CHECK(second.finish().exit_code == 128 + SIGTERM);
    CHECK(first.finish().exit_code == 0);
    CHECK(
        run_program({"inspect", folder / "model.json", "--verify"}).exit_code ==
        0);
  }

  TEST_CASE("takes labels for each rank with the same options") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    folder.write("part-0.csv", "1,2\n3,4\n2,2\n");
    folder.write("part-1.csv", "5,1\n");
    folder.write("labels-0",
                 std::string("\0\0\x08\x01\0\0\0\x03\0\x01\x01", 11));
    folder.write("labels-1", std::string("\0\0\x08\x01\0\0\0\x01\x01", 9));
    const Words words{"train",    folder / "part-{rank}.csv",
                      "--labels", folder / "labels-{rank}",
                      "--layers", "2,3,2",
                      "--json",   "--max-iter",
                      "3"};

    const auto results = run_ranks({words, words});

    CHECK(results[0].exit_code == 0);
    CHECK(results[1].exit_code == 0);
    CHECK(json::parse(results[0].output)["rows"] == 4);
  }

  TEST_CASE("refuses a checkpoint if the rows of any rank have changed") {
    if (!has_gloo()) return;
    for (const char* changed : {"part-0.csv", "part-1.csv"}) {
      const ScratchFolder folder;
      folder.write("part-0.csv", "a,b,label\n1,2,0\n3,4,1\n2,2,1\n");
      folder.write("part-1.csv", "a,b,label\n5,1,1\n6,6,0\n");
      const Words words{"train",
                        folder / "part-{rank}.csv",
                        "--layers",
                        "2,3,2",
                        "--max-iter",
                        "3",
                        "--checkpoint",
                        folder / "state",
                        "--resume",
                        "--checkpoint-every",
                        "1"};
      REQUIRE(run_ranks({words, words})[0].exit_code == 0);
      folder.write(changed, "a,b,label\n9,9,0\n3,4,1\n");

      const auto results = run_ranks({words, words});

      CHECK(results[0].exit_code == 4);
      CHECK(results[0].messages.find("belongs to another training") !=
            std::string::npos);
    }
  }

  TEST_CASE("shows the progress of one rank and shares the threads") {
    const auto count = [](const std::string& text, const std::string& part) {
      int number = 0;
      for (std::size_t at = text.find(part); at != text.npos;
           at = text.find(part, at + 1)) {
        ++number;
      }
      return number;
    };

    const auto one = run_program(train_iris({"--threads", "4", "-v"}));
    const auto two =
        run_program(train_iris({"--ranks", "4", "-v", "--progress", "always"}));

    CHECK(count(one.messages, "with at most 4 threads") == 1);
    CHECK(count(two.messages, "iteration 0/5") == 1);
    CHECK(count(two.messages, "iteration 5/5") == 1);
    const auto alone = run_program(train_iris({"-v"}));
    const std::size_t at = alone.messages.find("at most ") + 8;
    const int num_threads =
        std::max(1, std::stoi(alone.messages.substr(at)) / 4);
    CHECK(count(two.messages, "with at most " + std::to_string(num_threads) +
                                  " threads") == 1);
  }

  TEST_CASE("refuses an address that is none") {
    if (!has_gloo()) return;
    const Words words = train_iris({"--address", "nowhere"});

    for (const auto& result : run_ranks({words, words})) {
      CHECK(result.exit_code != 0);
      CHECK(result.messages.find("nowhere") != std::string::npos);
    }
  }

  TEST_CASE("refuses what needs the whole data where ranks have their own") {
    for (const Words& flags :
         {Words{"--split", "0.5,0.5"}, Words{"--reproducible"},
          Words{"--partitions", "2"}, Words{"--validation", "0.5"},
          Words{"--partition-sizes", "1,1"}}) {
      const auto result = run_program(
          with({"train", "part-{rank}.csv", "--layers", "2,3,2"}, flags));

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
    const auto result =
        run_program(train_iris({"--rendezvous", folder.path(), "--rank", "0",
                                "--world-size", "2", "--rank-timeout", "0.3"}));

    CHECK(result.exit_code == 7);
    CHECK(result.messages.find("rank 1") != std::string::npos);
  }

  TEST_CASE("refuses a rendezvous in a folder that does not exist") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const auto result =
        run_program(train_iris({"--rendezvous", folder / "mistyped", "--rank",
                                "1", "--world-size", "2"}));

    CHECK(result.exit_code == 2);
    CHECK(result.messages.find("a rendezvous needs a folder that exists; " +
                               folder / "mistyped" +
                               " does not exist; make the folder, or correct "
                               "its name") != std::string::npos);
    CHECK(folder.num_files() == 0);
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

}  // namespace mlp::test
