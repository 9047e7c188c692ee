// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/training_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../run_program.hpp"

namespace mlp::test {

namespace fs = std::filesystem;
using namespace cli;

namespace {

/// The message that an output gives which is also another file.
std::string same_file(const std::string& flag, const std::string& output,
                      const std::string& other_flag, const std::string& other) {
  return flag + ": '" + output + "' is the same file as " + other_flag + " '" +
         other + "', which would be overwritten; name another file";
}

/// Trains on Iris, in some folder, and checks that nothing is read or written.
void check_refused(const ScratchFolder& folder,
                   const std::vector<std::string>& flags,
                   const std::string& sentence) {
  const std::string data = folder / "data.csv";
  const std::string before = read_bytes(data);
  const auto num_files = folder.num_files();
  // --timeline needs ranks.
  std::vector<std::string> words = {"train", data, "-q", "--ranks", "1"};
  words.insert(words.end(), flags.begin(), flags.end());

  const ProgramResult result = run_program(words);

  CHECK(result.exit_code == 2);
  CHECK(result.messages == "mlp: error: " + sentence + '\n');
  CHECK(read_bytes(data) == before);
  CHECK(folder.num_files() == num_files);
}

}  // namespace

TEST_SUITE("cli/fit/training_files") {
  TEST_CASE("refuses every output that is an input, before it is read") {
    const ScratchFolder folder;
    const std::string data = folder.write("data.csv", "a,b\n1,0\n2,1\n");
    const std::string other = folder.write("other.csv", "no number");
    for (const std::string flag :
         {"--out", "--checkpoint", "--timeline", "--history"}) {
      CAPTURE(flag);
      check_refused(folder, {flag, data}, same_file(flag, data, "DATA", data));
      check_refused(folder, {flag, other, "--validation", other},
                    same_file(flag, other, "--validation", other));
      check_refused(folder, {flag, other, "--labels", other},
                    same_file(flag, other, "--labels", other));
    }
  }

  TEST_CASE("refuses to overwrite the model of --warm-start and the weights") {
    const ScratchFolder folder;
    folder.write("data.csv", "a,b\n1,0\n2,1\n3,1\n");
    const std::string model = folder / "model.json";
    REQUIRE(run_program({"train", folder / "data.csv", "--layers", "1,2,2",
                         "-q", "-o", model})
                .exit_code == 0);

    check_refused(folder, {"--warm-start", model, "-o", model},
                  same_file("--out", model, "--warm-start", model));
    check_refused(folder, {"--initial-weights", model, "--checkpoint", model},
                  same_file("--checkpoint", model, "--initial-weights", model));
  }

  TEST_CASE("refuses two outputs in one file, also those of a checkpoint") {
    const ScratchFolder folder;
    folder.write("data.csv", "a,b\n1,0\n2,1\n");
    const std::string state = folder / "state";
    for (const std::string suffix : {"", ".previous", ".damaged"}) {
      check_refused(
          folder, {"-o", state + suffix, "--checkpoint", state},
          same_file("--checkpoint", state + suffix, "--out", state + suffix));
    }
    check_refused(folder, {"-o", state, "--timeline", state},
                  same_file("--timeline", state, "--out", state));
  }

  TEST_CASE(
      "takes the files beside the target of a checkpoint that is a link") {
    const ScratchFolder folder;
    folder.write("data.csv", "a,b\n1,0\n2,1\n");
    const std::string target = folder.write("target", "");
    fs::create_symlink("target", folder / "link");

    check_refused(folder,
                  {"-o", target + ".previous", "--checkpoint", folder / "link"},
                  same_file("--checkpoint", target + ".previous", "--out",
                            target + ".previous"));
  }

  TEST_CASE("compares the files of all ranks") {
    const ScratchFolder folder;
    folder.write("part-0.csv", "");
    folder.write("part-1.csv", "");
    fs::create_symlink("part-0.csv", folder / "model-1.json");
    TrainOptions train;
    train.data = {folder / "part-{rank}.csv"};
    train.model_file = folder / "model-{rank}.json";

    CHECK_THROWS_WITH_AS(list_training_files(train, {0, 2}).check_distinct(),
                         same_file("--out", folder / "model-1.json", "DATA",
                                   folder / "part-0.csv")
                             .c_str(),
                         ParamError);
    CHECK_NOTHROW(list_training_files(train, {0, 1}).check_distinct());
    CHECK_NOTHROW(list_training_files(train, {1, 2}).check_distinct());
  }

  TEST_CASE("takes {rank} as it is where there are no ranks") {
    const ScratchFolder folder;
    TrainOptions train;
    train.data = {folder.write("part-{rank}.csv", "")};
    train.model_file = folder / "part-{rank}.csv";

    CHECK_THROWS_WITH_AS(
        list_training_files(train, {0, 1, false}).check_distinct(),
        same_file("--out", train.model_file, "DATA", train.data.front())
            .c_str(),
        ParamError);
  }

  TEST_CASE("lets ranks above 0 write only what is their own") {
    const ScratchFolder folder;
    TrainOptions train;
    train.data = {data_file("iris.csv")};
    train.model_file = folder / "none/model.json";
    train.ranks.timeline_file = folder / "none/trace.json";

    CHECK_NOTHROW(list_training_files(train, {1, 2}).check_writable());
    train.model_file = folder / "none/model-{rank}.json";
    CHECK_THROWS_AS(list_training_files(train, {1, 2}).check_writable(),
                    ResourceError);
  }

  TEST_CASE("writes the rows of a split, which train and score the same") {
    const ScratchFolder folder;
    const std::string prefix = folder / "iris";
    const auto run = [](std::vector<std::string> words) {
      words.insert(words.end(), {"-q", "--json"});
      return nlohmann::json::parse(run_program(words).output);
    };

    const auto split = run({"train", data_file("iris.csv"), "--layers", "4,5,3",
                            "--split", "0.7,0.3", "--stratify", "--write-split",
                            prefix, "-o", folder / "model.json"});
    const auto again =
        run({"train", prefix + "-train.csv", "--layers", "4,5,3"});
    const auto scores =
        run({"evaluate", folder / "model.json", prefix + "-test.csv"});

    CHECK(again["objectiveHistory"] == split["objectiveHistory"]);
    CHECK(scores["accuracy"] == split["testAccuracy"]);
    CHECK(scores["rows"] == split["testRows"]);
    CHECK(read_bytes(prefix + "-test.csv")
              .starts_with("sepal_length,sepal_width,petal_length,petal_width,"
                           "species\n"));
  }

  TEST_CASE("writes no rows of a split that --missing drop leaves out") {
    const ScratchFolder folder;
    const std::string prefix = folder / "part";
    const std::string data = folder.write(
        "d.csv", "x,y\n,a\n1,a\n,b\n2,b\n,a\n3,a\n4,b\n,b\n5,a\n6,b\n");

    const auto run = run_program(
        {"train", data, "--missing", "drop", "--layers", "1,2", "--split",
         "0.5,0.5", "--write-split", prefix, "-o", folder / "m.json", "-q"});

    CHECK(run.exit_code == 0);
    const std::string rows =
        read_bytes(prefix + "-train.csv") + read_bytes(prefix + "-test.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 8);
    CHECK(rows.find("\n,") == rows.npos);
  }
}

}  // namespace mlp::test
