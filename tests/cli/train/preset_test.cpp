// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/preset.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "../has_gloo.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using nlohmann::json;
using namespace test;

/// Mean accuracy on test rows over the seeds 1 to 5.
double mean_test_accuracy(const std::string& file, const Words& more = {}) {
  constexpr int kNumSeeds = 5;
  double sum = 0.0;
  for (int seed = 1; seed <= kNumSeeds; ++seed) {
    const std::string report =
        output_of(with({"train", data_file(file), "--split", "0.7,0.3",
                        "--seed", std::to_string(seed), "--json", "-q"},
                       more));
    sum += json::parse(report)["testAccuracy"].get<double>();
  }
  return sum / kNumSeeds;
}

/// Trains and returns the model file.
json train(const ScratchFolder& folder, const std::string& data,
           const Words& flags) {
  output_of(with({"train", data, "-q", "-o", folder / "m.json"}, flags));
  return json::parse(test::read_bytes(folder / "m.json"));
}

/// Numbers around a mean of 100,000, a function of two features.
std::string write_prices(const ScratchFolder& folder) {
  std::string text = "rooms,area,price\n";
  for (int i = 0; i < 200; ++i) {
    const int rooms = i * 7 % 5;
    const int area = i * 37 % 101;
    text += std::to_string(rooms) + ',' + std::to_string(1000 + area) + ',' +
            std::to_string(95000 + 2000 * rooms + area * area) + '\n';
  }
  return folder.write("prices.csv", text);
}

/// Writes ten features. Two of them decide the class in three rows of four; the
/// other features, and the class of the fourth row, are random.
std::string write_noisy_rows(const ScratchFolder& folder) {
  std::minstd_rand random(7);
  const auto draw = [&random] {
    return static_cast<int>(random() % 2001) - 1000;
  };
  std::string text = "a,b,c,d,e,f,g,h,i,j,label\n";
  for (int row = 0; row < 400; ++row) {
    int sum = 0;
    for (int column = 0; column < 10; ++column) {
      const int value = draw();
      if (column < 2) sum += value;
      text += std::to_string(value) + ',';
    }
    text += row % 4 == 0 ? std::to_string(row / 4 % 2)
                         : std::to_string(sum > 0 ? 1 : 0);
    text += '\n';
  }
  return folder.write("noisy.csv", text);
}

/// Sixty rows, a third of them of weight 2; and the same with these rows repeated.
std::pair<std::string, std::string> make_weighted_rows() {
  std::string weighted = "a,b,w,label\n";
  std::string repeated = "a,b,label\n";
  for (int i = 0; i < 60; ++i) {
    const std::string row =
        std::to_string(i * 7 % 31) + ',' + std::to_string(i * i % 17 * 100);
    const std::string label = std::to_string(i * 7 % 31 > 14 ? 1 : 0);
    weighted += row + (i % 3 == 0 ? ",2," : ",1,") + label + '\n';
    for (int copy = i % 3 == 0 ? 2 : 1; copy > 0; --copy) {
      repeated += row + ',' + label + '\n';
    }
  }
  return {weighted, repeated};
}

}  // namespace

TEST_SUITE("cli/train/preset") {
  TEST_CASE("trains wine without flags to 0.965 of unseen rows") {
    CHECK(mean_test_accuracy("wine.csv") >= 0.965);
  }

  TEST_CASE("trains breast cancer without flags to 0.96 of unseen rows") {
    CHECK(mean_test_accuracy("breast_cancer.csv") >= 0.96);
  }

  TEST_CASE("trains digits without flags to 0.965 of unseen rows") {
    CHECK(mean_test_accuracy("digits.csv") >= 0.965);
  }

  TEST_CASE_FIXTURE(InFolder, "takes Spark's defaults with layers") {
    const Words layers{"--layers", "4,5,3", "--max-iter", "5"};

    const json model = train(folder, data_file("iris.csv"), layers);

    CHECK(model["activation"] == "sigmoid");
    CHECK(model["formatVersion"] == 1);
    CHECK(model["params"]["blockSize"] == 128);
    CHECK(model == train(folder, data_file("iris.csv"),
                         with(layers, {"--preset", "spark"})));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "chooses what Spark can express with --for spark") {
    const json model = train(folder, data_file("wine.csv"), {"--for", "spark"});

    CHECK(model["activation"] == "sigmoid");
    CHECK(model.contains("sparkClass"));
    CHECK(model["input"].contains("mean"));
  }

  TEST_CASE("trains wine for Spark to 0.96 of unseen rows") {
    CHECK(mean_test_accuracy("wine.csv", {"--for", "spark"}) >= 0.96);
  }

  TEST_CASE("says only with -v why Spark cannot express the model") {
    const std::string sentence =
        "mlp: note: the model cannot be written as Spark's, because its hidden "
        "layers have the activation relu; --for spark trains one that can\n";
    const Words words{"train", data_file("iris.csv"), "--max-iter", "1"};
    const auto says = [&](const Words& more) {
      return run_program(with(words, more)).messages.find(sentence) !=
             std::string::npos;
    };

    CHECK(says({"-v"}));
    CHECK_FALSE(says({}));
    CHECK_FALSE(says({"-v", "--for", "onnx"}));
    CHECK_FALSE(says({"-v", "--for", "spark"}));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "says with -v which flags Spark's defaults need") {
    std::string text = "city,size,kind\n";
    for (int i = 0; i < 12; ++i) {
      text += (i % 2 == 0 ? "Rome," : "Oslo,") +
              (i % 4 == 3 ? "" : std::to_string(i)) +
              (i % 3 == 0 ? ",a\n" : ",b\n");
    }
    const std::string data = folder.write("t.csv", text);
    const Words flags{"--preset",  "spark", "--layers",  "3,3,2",
                      "--one-hot", "auto",  "--missing", "mean"};

    const std::string messages =
        run_program({"train", data, "-v", "--effort", "quick"}).messages;

    CHECK(
        messages.find("--preset spark --layers 3,3,2 --one-hot auto --missing "
                      "mean trains with Spark's defaults") != messages.npos);
    CHECK(run_program(with({"train", data, "-q"}, flags)).exit_code == 0);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "says with -v that rare categories need --unknown other") {
    std::string text = "city,size,kind\n";
    for (int i = 0; i < 24; ++i) {
      const char* const cities[] = {"Rome", "Oslo"};
      text += (i < 3 ? "Lima" + std::to_string(i) : cities[i % 2]) + ',' +
              std::to_string(i) + (i % 3 == 0 ? ",a\n" : ",b\n");
    }
    const std::string data = folder.write("t.csv", text);
    const Words train{"train", data, "-v", "--effort", "quick"};
    const auto check = [&](const Words& given, const Words& advised) {
      std::string words = "note:";
      for (const std::string& word : advised) words += ' ' + word;
      const Words flags = with(given, advised);

      CHECK(run_program(with(train, given)).messages.find(words + " trains") !=
            std::string::npos);
      CHECK(run_program(with({"train", data, "-q"}, flags)).exit_code == 0);
    };
    const Words spark{"--preset", "spark", "--layers", "4,3,2"};
    const Words missing{"--missing", "mean", "--unknown", "other"};

    check({}, with(with(spark, {"--one-hot", "auto"}), missing));
    check({"--one-hot", "auto"}, with(spark, missing));
    check({"--unknown", "other"},
          with(spark, {"--one-hot", "auto", "--missing", "mean"}));
  }

  TEST_CASE_FIXTURE(InFolder, "says with -v why texts are none of Spark's") {
    const std::string data = folder.write(
        "t.csv", "city,kind\nRome,a\nOslo,b\nRome,b\nOslo,a\nRome,a\n");

    const std::string messages =
        run_program({"train", data, "-v", "--effort", "quick"}).messages;

    CHECK(messages.find(
              "mlp: note: the model cannot be written as Spark's, because it "
              "encodes columns of its data file; --ignore leaves columns of "
              "texts out, and --missing drop the rows that lack a value\n") !=
          messages.npos);
  }

  TEST_CASE_FIXTURE(InFolder, "lets every flag win over the preset") {
    const json model =
        train(folder, data_file("iris.csv"),
              {"--preset", "modern", "--layers", "4,6,3", "--activation",
               "tanh", "--tol", "0.5", "--reg-param", "0", "--max-iter", "7",
               "--scale", "2"});

    CHECK(model["layers"] == json{4, 6, 3});
    CHECK(model["params"]["tol"] == 0.5);
    CHECK(model["params"]["maxIter"] == 7);
    CHECK_FALSE(model["params"].contains("regParam"));
    CHECK(model["params"]["blockSize"] == 1);
    CHECK(model["input"]["std"] == json{2.0, 2.0, 2.0, 2.0});
  }

  TEST_CASE_FIXTURE(InFolder,
                    "leaves the features alone with --no-standardize") {
    const json model = train(folder, data_file("iris.csv"),
                             {"--no-standardize", "--max-iter", "2"});

    CHECK_FALSE(model["input"].contains("mean"));
  }

  TEST_CASE_FIXTURE(InFolder, "takes a row of weight 2 as two equal rows") {
    const auto [weighted, repeated] = make_weighted_rows();

    const json a = train(folder, folder.write("w.csv", weighted),
                         {"--weight-col", "w", "--preset", "modern", "--layers",
                          "2,4,2", "--max-iter", "3"});
    const json b =
        train(folder, folder.write("r.csv", repeated),
              {"--preset", "modern", "--layers", "2,4,2", "--max-iter", "3"});

    CHECK(a["params"]["regParam"] == b["params"]["regParam"]);
    for (std::size_t i = 0; i < a["weights"]["data"].size(); ++i) {
      CHECK(
          a["weights"]["data"][i].get<double>() ==
          doctest::Approx(b["weights"]["data"][i].get<double>()).epsilon(1e-8));
    }
  }

  TEST_CASE_FIXTURE(InFolder, "warns of weights that change the penalty") {
    std::string rows = "a,w,label\n";
    for (int i = 0; i < 100; ++i) {
      rows +=
          std::to_string(i * 7 % 31) + ",0.01," + std::to_string(i % 2) + '\n';
    }
    const Words words = {"train",        folder.write("w.csv", rows),
                         "--weight-col", "w",
                         "--effort",     "quick",
                         "--max-iter",   "1",
                         "-o",           folder / "m.json"};
    const std::string warning =
        "mlp: warning: the weights of the 100 rows have the sum 1, for which";

    CHECK(run_program(words).messages.find(warning) != std::string::npos);
    CHECK(run_program(with(words, {"--reg-param", "1e-3"}))
              .messages.find(warning) == std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "predicts numbers of any size") {
    const auto result =
        run_program({"train", write_prices(folder), "--task", "regression",
                     "--split", "0.7,0.3", "--json", "-q"});

    CHECK(json::parse(result.output)["testR2"].get<double>() > 0.98);
  }

  TEST_CASE_FIXTURE(InFolder, "learns a noisy table not by heart") {
    const auto result =
        run_program({"train", write_noisy_rows(folder), "--folds", "5",
                     "--json", "-q", "--effort", "quick"});

    CHECK(json::parse(result.output)["foldAccuracyMean"].get<double>() > 0.74);
  }

  TEST_CASE_FIXTURE(InFolder, "trains a small table with mini-batches") {
    for (const char* const solver : {"adam", "adamw", "sgd"}) {
      const auto result = run_program(
          {"train", data_file("iris.csv"), "--solver", solver, "--json", "-q"});

      CHECK(json::parse(result.output)["trainAccuracy"].get<double>() > 0.94);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "learns the exclusive or from four rows") {
    const std::string rows =
        folder.write("xor.csv", "a,b,label\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n");

    const auto result = run_program({"train", rows, "--json", "-q"});

    CHECK(json::parse(result.output)["trainAccuracy"] == 1.0);
  }

  TEST_CASE("standardises over the files of all ranks as over one file") {
    if (!test::has_gloo()) return;
    const ScratchFolder folder;
    folder.write("part-0.csv", "a,b,label\n1,200,0\n3,100,1\n2,400,1\n");
    folder.write("part-1.csv", "a,b,label\n9,300,0\n7,100,1\n");
    const std::string all = folder.write(
        "all.csv", "a,b,label\n1,200,0\n3,100,1\n2,400,1\n9,300,0\n7,100,1\n");

    const json alone =
        train(folder, all, {"--max-iter", "2", "--effort", "quick"});
    const json ranks =
        train(folder, folder / "part-{rank}.csv",
              {"--max-iter", "2", "--ranks", "2", "--transport", "gloo"});

    CHECK(ranks["layers"] == alone["layers"]);
    for (const char* const name : {"mean", "std"}) {
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(ranks["input"][name][i].get<double>() ==
              doctest::Approx(alone["input"][name][i].get<double>())
                  .epsilon(1e-12));
      }
    }
  }
}

}  // namespace mlp::cli
