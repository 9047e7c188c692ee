// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/folds/selection.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "../../run_program.hpp"

namespace mlp::cli {

namespace {

using nlohmann::json;
using namespace test;

json train_standard(const std::string& file, const Words& more = {}) {
  return json::parse(output_of(
      with({"train", data_file(file), "--effort", "standard", "--json", "-q"},
           more)));
}

}  // namespace

TEST_SUITE("cli/fit/folds/selection") {
  TEST_CASE("joins five networks, and reports the unseen rows") {
    const json report = train_standard("iris.csv");

    CHECK(report["layers"] == json({4, 320, 3}));
    CHECK(report["networks"] == 5);
    CHECK(report["selectionFolds"] == 5);
    CHECK(report["unseenAccuracy"] > 0.93);
    CHECK(report["unseenLogLoss"] < 0.2);
    CHECK(report["calibrationError"] < 0.1);
  }

  TEST_CASE_FIXTURE(InFolder, "best joins more, the same with any threads") {
    const auto train = [&](const std::string& threads) {
      return json::parse(output_of({"train", data_file("iris.csv"), "--effort",
                                    "best", "--json", "-q", "--threads",
                                    threads, "-o", folder / threads}));
    };

    const json report = train("1");
    static_cast<void>(train("3"));

    CHECK(report["networks"] == 10);
    CHECK(report["layers"][1].get<int>() % 10 == 0);
    CHECK(read_bytes(folder / "1") == read_bytes(folder / "3"));
  }

  TEST_CASE("a penalty that is given stays") {
    CHECK(train_standard("iris.csv", {"--reg-param", "0.05"})["regParam"] ==
          0.05);
  }

  TEST_CASE("the model predicts as its report says") {
    const ScratchFolder folder;
    const json report =
        train_standard("wine.csv", {"-o", folder / "model.json"});

    const json scores = json::parse(output_of(
        {"evaluate", folder / "model.json", data_file("wine.csv"), "--json"}));

    CHECK(scores["accuracy"] == report["trainAccuracy"]);
  }

  TEST_CASE("a regression reports the error of unseen rows") {
    const json report =
        train_standard("iris.csv", {"--task", "regression", "--label",
                                    "petal_width", "--ignore", "species"});
    CHECK(report["unseenR2"] > 0.9);
    CHECK(!report.contains("temperature"));
  }

  TEST_CASE("refuses what several trainings do not have") {
    for (const Words& others :
         {Words{"--layers", "4,5,3"}, Words{"--validation", "0.2"},
          Words{"--scale", "3"}, Words{"--ranks", "2"}}) {
      const auto run = run_program(with(
          {"train", data_file("iris.csv"), "--effort", "standard"}, others));
      CHECK(run.exit_code == 2);
      CHECK(run.messages.find("mlp: error: --effort: must be quick with " +
                              others.front()) != std::string::npos);
      CHECK(run.messages.find(", which one training has; got 'standard'") !=
            std::string::npos);
    }
  }

  TEST_CASE("is the default without flags of one training") {
    const auto is_selected = [](const Words& flags) {
      return json::parse(output_of(with({"train", data_file("iris.csv"),
                                         "--json", "-q", "--max-iter", "3"},
                                        flags)))
          .contains("networks");
    };
    CHECK(is_selected({}));
    CHECK(is_selected({"--solver", "adam"}));
    for (const Words& flags :
         {Words{"--effort", "quick"}, Words{"--layers", "4,5,3"},
          Words{"--validation", "0.2"}, Words{"--scale", "3"},
          Words{"--residual"}, Words{"--batch-norm", "--solver", "adam"},
          Words{"--history", "/dev/null"}}) {
      CAPTURE(flags.front());
      CHECK_FALSE(is_selected(flags));
    }
  }

  TEST_CASE("--folds gives the number of folds that choose") {
    const json report = train_standard("iris.csv", {"--folds", "3"});
    CHECK(report["selectionFolds"] == 3);
    CHECK(!report.contains("foldAccuracy"));
  }

  TEST_CASE("--coverage gives sets, which predict and evaluate tell of") {
    const ScratchFolder folder;
    const std::string model = folder / "model.json";
    const json report = train_standard(
        "iris.csv", {"--coverage", "0.95", "--split", "0.6,0.4",
                     "--write-split", folder / "part", "-o", model});

    const json scores = json::parse(
        output_of({"evaluate", model, folder / "part-test.csv", "--json"}));
    const std::string table =
        output_of({"predict", model, folder / "part-test.csv"});
    const std::string text = output_of({"inspect", model});

    CHECK(report["unseenCoverage"] > 0.9);
    CHECK(report["unseenMeanSize"] >= 1.0);
    CHECK(report["testCoverage"] == scores["coverage"]);
    CHECK(report["testMeanSize"] == scores["meanSize"]);
    CHECK(table.starts_with("prediction,set\n"));
    CHECK(text.find("set          for 0.95: classes with a probability of at "
                    "least ") != std::string::npos);
  }

  TEST_CASE("--interval gives intervals, which the report tells of") {
    const ScratchFolder folder;
    const std::string model = folder / "model.json";
    const Words flags = {"train",      data_file("iris.csv"),
                         "--task",     "regression",
                         "--label",    "petal_width",
                         "--ignore",   "species",
                         "--interval", "0.9",
                         "--split",    "0.6,0.4",
                         "-o",         model};

    const std::string text = output_of(flags);
    const std::string scores =
        output_of({"evaluate", model, data_file("iris.csv")});

    CHECK(text.find("\nunseen coverage 0.9") != std::string::npos);
    CHECK(text.find("\ntest coverage   0.") != std::string::npos);
    CHECK(text.find(" with intervals for 0.9, mean width 0.") !=
          std::string::npos);
    CHECK(scores.find("\ncoverage  0.9") != std::string::npos);
    CHECK(output_of({"predict", model, data_file("iris.csv")})
              .starts_with("prediction,lower,upper\n"));
  }

  TEST_CASE("refuses a coverage without folds, or with too few rows") {
    const auto refusal = [](const Words& flags) {
      const auto run =
          run_program(with({"train", data_file("iris.csv"), "-q"}, flags));
      CHECK(run.exit_code == 2);
      return run.messages;
    };
    const std::string single =
        "mlp: error: --coverage: coverage needs rows that the trainings of "
        "folds did not see; expected effort standard, got quick: leave out "
        "layers and other settings of one training\n";

    CHECK(refusal({"--coverage", "0.9", "--layers", "4,5,3"}) == single);
    CHECK(refusal({"--coverage", "0.9", "--effort", "quick"}) == single);
    CHECK(refusal({"--coverage", "0.9", "--validation", "0.2"}) == single);
    CHECK(refusal({"--coverage", "1"}) ==
          "mlp: error: --coverage: must be a number > 0 and < 1; got '1'\n");
    CHECK(refusal({"--coverage", "0.999"}) ==
          "mlp: error: --coverage: coverage 0.999 needs more rows; expected at "
          "least 999 in all folds but one, got 120; ask for a smaller one\n");
  }

  TEST_CASE_FIXTURE(InFolder, "keeps the rows of a group in one fold") {
    // Without groups, each row is predicted by its copies in other folds.
    std::string rows = "x,z,group,y\n";
    for (int group = 0; group < 30; ++group) {
      const std::string row = std::to_string(group * 7 % 30) + ',' +
                              std::to_string(group * 11 % 30) + ",g" +
                              std::to_string(group) + ',' +
                              std::to_string(group * 13 % 17 % 2) + '\n';
      for (int copy = 0; copy < 6; ++copy) rows += row;
    }
    const std::string file = folder.write("rows.csv", rows);
    const auto unseen = [&](const Words& flags) {
      return json::parse(output_of(
          with({"train", file, "--json", "-q"}, flags)))["unseenAccuracy"]
          .get<double>();
    };
    CHECK(unseen({"--ignore", "group"}) > 0.95);
    CHECK(unseen({"--group", "group"}) < 0.8);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses more folds than groups") {
    const std::string rows =
        folder.write("rows.csv", "a,g,y\n1,p,0\n2,p,1\n3,q,0\n4,q,1\n");
    const auto run =
        run_program({"train", rows, "--group", "g", "--folds", "3"});
    CHECK(run.exit_code == 3);
    CHECK(run.messages.find("--folds 3 needs at least as many groups; got 2") !=
          std::string::npos);
  }

  TEST_CASE("refuses more folds than rows") {
    const ScratchFolder folder;
    const std::string rows = folder.write("rows.csv", "a,y\n1,0\n2,1\n3,1\n");
    const auto run = run_program({"train", rows, "--folds", "4"});
    CHECK(run.exit_code == 3);
    CHECK(run.messages.find("--folds 4 needs at least as many instances; got "
                            "3") != std::string::npos);
  }

  TEST_CASE("measures the test rows with the encoding of the model") {
    const ScratchFolder folder;
    const json report = train_standard(
        "wine.csv",
        {"--numeric-encoding", "quantile:6", "--split", "0.6,0.4", "--seed",
         "5", "--write-split", folder / "part", "-o", folder / "model.json"});

    const json scores =
        json::parse(output_of({"evaluate", folder / "model.json",
                               folder / "part-test.csv", "--json"}));

    CHECK(report["numericEncoding"] == "quantile:6");
    CHECK(scores["accuracy"] == report["testAccuracy"]);
  }

  TEST_CASE("any number of threads writes the same model") {
    const ScratchFolder folder;
    for (const char* const threads : {"1", "3"}) {
      train_standard("wine.csv", {"--threads", threads, "--seed", "2", "-o",
                                  folder / threads});
    }
    CHECK(read_bytes(folder / "1") == read_bytes(folder / "3"));
  }

  TEST_CASE_FIXTURE(InFolder, "stopped, it saves the network that it has") {
    const Words words{
        "train", data_file("digits.csv"), "--threads", "1", "--tol", "0", "-o"};
    Program program(with(words, {folder / "m.json", "--progress", "always"}));
    program.wait_for_message("1 of at most");
    program.send(SIGINT);

    const ProgramResult stopped = program.finish();

    static_cast<void>(
        output_of(with(words, {folder / "quick", "--effort", "quick"})));
    const auto predict = [&](const std::string& model) {
      return output_of({"predict", folder / model, data_file("digits.csv"),
                        "--output", "rawPrediction"});
    };
    CHECK(stopped.exit_code == 128 + SIGINT);
    CHECK(stopped.messages.find(
              "stopped by SIGINT: one network is trained, as by --effort "
              "quick, and none of the folds' choice; the best model so far "
              "is saved") != std::string::npos);
    CHECK(predict("m.json") == predict("quick"));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "stopped before the folds, it says that sets are missing") {
    Program program({"train", data_file("digits.csv"), "--threads", "1",
                     "--tol", "0", "--coverage", "0.9", "-o", folder / "m.json",
                     "--progress", "always"});
    program.wait_for_message("1 of at most");
    program.send(SIGINT);

    const ProgramResult stopped = program.finish();

    CHECK(stopped.exit_code == 128 + SIGINT);
    CHECK(stopped.messages.find(
              "the best model so far is saved without the sets of --coverage, "
              "which need the training of all folds") != std::string::npos);
    CHECK(output_of({"inspect", folder / "m.json"}).find("\nset ") ==
          std::string::npos);
  }

  TEST_CASE("inspect tells how the model was chosen") {
    const ScratchFolder folder;
    const json report =
        train_standard("wine.csv", {"-o", folder / "model.json"});

    const std::string text = output_of({"inspect", folder / "model.json"});

    CHECK(text.find("chosen       by 5 folds; " +
                    std::to_string(report["networks"].get<int>()) +
                    " networks in one, of which the training line is the "
                    "first, temperature ") != std::string::npos);
    CHECK(text.find("unseen rows  178; accuracy ") != std::string::npos);
  }
}

}  // namespace mlp::cli
