// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

/// Four instances of two classes with names, easy to learn.
constexpr const char* kFour =
    "x,y,class\n0,0,no\n0,1,no\n9,0,yes\n9,1,\"yes\"\n";

/// Trains on them and returns the model's path.
std::string train_four(const ScratchFolder& folder) {
  const std::string data = folder.write("four.csv", kFour);
  const std::string model = folder / "four.json";
  const auto result =
      run_program({"train", data, "--layers", "2,2", "-q", "-o", model});
  REQUIRE(result.messages == "");
  return model;
}

/// A folder with the model of four instances.
struct Four : InFolder {
  const std::string model = train_four(folder);
};

}  // namespace

TEST_SUITE("cli/score/scoring") {
  TEST_CASE_FIXTURE(Four,
                    "predicts by names whatever the order of the columns") {
    const std::string data =
        folder.write("other.csv", "extra,y,x\n7,0,9\n7,1,0\n");

    const auto result = run_program({"predict", model, data});

    CHECK(result.messages == "");
    CHECK(result.output == "prediction\nyes\nno\n");
  }

  TEST_CASE_FIXTURE(Four,
                    "predicts by position where the data have no header") {
    const std::string two = folder.write("two.csv", "9,0\n0,1\n");
    const std::string three = folder.write("three.csv", "9,0,1\n0,1,0\n");

    CHECK(run_program({"predict", model, two}).output ==
          "prediction\nyes\nno\n");
    CHECK(run_program({"predict", model, three, "--label", "-1"}).output ==
          "prediction\nyes\nno\n");
    const auto refused = run_program({"predict", model, three});
    CHECK(refused.exit_code == 3);
    CHECK(refused.output == "");
    CHECK(refused.messages ==
          "mlp: error: " + three +
              ":1:1: wrong number of features; expected 2, got 3; use --label "
              "COL or --ignore COLS to leave columns out\n");
  }

  TEST_CASE_FIXTURE(Four, "writes the columns in the order asked") {
    const std::string out = folder / "out.csv";

    const auto result =
        run_program({"predict", model, folder / "four.csv", "--output",
                     "rawPrediction,prediction", "-q", "-o", out});

    CHECK(result.output == "");
    CHECK(read_bytes(out).substr(0, 48) ==
          "rawPrediction_no,rawPrediction_yes,prediction\n" +
              read_bytes(out).substr(46, 2));
  }

  TEST_CASE_FIXTURE(Four, "evaluates by Spark's names") {
    const std::string data =
        folder.write("wrong.csv", "x,y,class\n0,0,no\n9,0,no\n9,1,yes\n");

    const auto result = run_program({"evaluate", model, data, "--json"});

    // One of two 'no' is taken for 'yes'.
    const json metrics = json::parse(result.output);
    CHECK(metrics["accuracy"] == 2.0 / 3.0);
    CHECK(metrics["labels"] == json{0, 1});
    CHECK(metrics["labelNames"] == json{"no", "yes"});
    CHECK(metrics["precisionByLabel"] == json{1, 0.5});
    CHECK(metrics["recallByLabel"] == json{0.5, 1});
    CHECK(metrics["confusionClasses"] == json{"no", "yes"});
    CHECK(metrics["confusionMatrix"] ==
          json(std::vector<std::vector<int>>{{1, 1}, {0, 1}}));
    CHECK(metrics["rows"] == 3);
  }

  TEST_CASE_FIXTURE(
      InFolder, "takes the label column of the training, wherever it stands") {
    const std::string train = folder.write(
        "train.csv", "kind,x,y\nno,0,0\nno,0,1\nyes,9,0\nyes,9,1\n");
    const std::string model = folder / "model.json";
    run_program({"train", train, "--label", "kind", "--layers", "2,2", "-q",
                 "-o", model});
    const std::string moved =
        folder.write("moved.csv", "x,kind,class,y\n0,no,a,0\n9,yes,b,1\n");

    const auto result = run_program({"evaluate", model, moved, "--json"});

    CHECK(result.messages == "");
    CHECK(json::parse(result.output)["accuracy"] == 1.0);
    CHECK(json::parse(read_bytes(model))["input"]["label"] == "kind");
    CHECK(run_program({"predict", model, moved}).output ==
          "prediction\nno\nyes\n");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "fills in means where the training lacked no value") {
    const std::string train = folder.write("train.csv", kFour);
    const std::string model = folder / "model.json";
    run_program({"train", train, "--layers", "2,2", "--standardize", "-q", "-o",
                 model});
    const std::string gaps =
        folder.write("gaps.csv", "x,y,class\n?,0,no\n9,,yes\n,1,yes\n");
    // The means of the four values of x and y.
    const std::string filled = folder.write(
        "filled.csv", "x,y,class\n4.5,0,no\n9,0.5,yes\n4.5,1,yes\n");
    const std::string note =
        "mlp: note: " + gaps +
        ": 3 missing values in 3 of 3 rows replaced by the values of the "
        "model; most in column 'x' (2)\n";

    for (const char* const command : {"predict", "evaluate"}) {
      const auto result = run_program({command, model, gaps});

      CHECK(result.output == run_program({command, model, filled}).output);
      CHECK(result.messages == note);
    }
  }

  TEST_CASE_FIXTURE(Four, "refuses a missing value without a mean for it") {
    const std::string gaps = folder.write("gaps.csv", "x,y\n9,0\n9,NA\n");

    const auto result = run_program({"predict", model, gaps});

    CHECK(result.exit_code == 3);
    CHECK(result.output == "");
    CHECK(result.messages ==
          "mlp: error: " + gaps +
              ":3:3: expected a number in column 'y', got 'NA'; fill in the "
              "missing value or remove the row; a model that standardises its "
              "features, or that was trained with --missing mean, fills it "
              "in\n");
  }

  TEST_CASE_FIXTURE(InFolder, "knows names that are integers by their value") {
    const std::string model = folder / "model.json";
    const std::string train =
        folder.write("train.csv", "x,y,k\n0,0,-1\n0,1,-1\n9,0,1\n9,1,10\n");
    run_program({"train", train, "--layers", "2,3", "-q", "-o", model});
    const std::string other =
        folder.write("other.csv", "x,y,k\n0,0,-1.0\n9,0,+1\n9,1,1e1\n0,1,-1\n");

    const auto result = run_program({"evaluate", model, other});

    CHECK(result.messages == "");
    CHECK(result.output.find("accuracy           1.0000") == 0);
    // By value, and not by text: 10 comes after 1, and -1 first.
    CHECK(result.output.find("true \\ predicted  -1  1  10\n"
                             "-1                 2  0   0\n"
                             "1                  0  1   0\n"
                             "10                 0  0   1\n") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "measures probabilities as scikit-learn does") {
    const std::string model = folder / "iris.json";
    run_program({"train", data_file("iris.csv"), "--layers", "4,3", "--seed",
                 "1", "--max-iter", "20", "-q", "-o", model});

    const auto result =
        run_program({"evaluate", model, data_file("iris.csv"), "--json"});

    // log_loss, roc_auc_score (ovr, macro) and balanced_accuracy_score of
    // scikit-learn 1.9.1 for the probabilities that predict writes.
    const json metrics = json::parse(result.output);
    CHECK(metrics["logLoss"] ==
          doctest::Approx(0.07099420790020289).epsilon(1e-9));
    CHECK(metrics["rocAuc"] ==
          doctest::Approx(0.9984000000000001).epsilon(1e-9));
    CHECK(metrics["rocAucByLabel"].size() == 3);
    CHECK(metrics["balancedAccuracy"] == doctest::Approx(0.98).epsilon(1e-9));
  }

  TEST_CASE_FIXTURE(Four, "prints numbers where Spark has none") {
    const std::string one = folder.write("one.csv", "x,y,class\n0,0,no\n");

    const auto text = run_program({"evaluate", model, one});
    const json metrics =
        json::parse(run_program({"evaluate", model, one, "--json"}).output);

    CHECK(text.output.find("nan") == std::string::npos);
    CHECK(text.output.find("ROC AUC            not defined, because only one "
                           "class occurs\n") != std::string::npos);
    CHECK(metrics["falsePositiveRateByLabel"] == json::array({0}));
    CHECK(metrics["weightedFalsePositiveRate"] == 0);
    CHECK(metrics["rocAuc"].is_null());
  }

  TEST_CASE_FIXTURE(InFolder,
                    "prints 0 as the R2 of labels that are all equal") {
    const std::string model = folder / "model.json";
    const std::string rows = folder.write("rows.csv", "x,y\n1,2\n3,2\n");

    const auto trained = run_program({"train", rows, "--task", "regression",
                                      "--layers", "1,1", "-o", model});
    const auto result = run_program({"evaluate", model, rows});

    CHECK(trained.output.find("train R2        0.0000 (") == 0);
    CHECK(result.output.find("R2    0  on 2 instances\n") == 0);
  }

  TEST_CASE_FIXTURE(Four, "refuses a label that the model does not know") {
    const std::string data =
        folder.write("wrong.csv", "x,y,class\n0,0,no\n9,0,maybe\n");

    const auto result = run_program({"evaluate", model, data, "-q"});

    CHECK(result.exit_code == 3);
    CHECK(result.messages == "mlp: error: " + data +
                                 ":3: unknown label 'maybe'; expected one of "
                                 "'no', 'yes'\n");
  }

  TEST_CASE_FIXTURE(Four, "refuses to replace its inputs") {
    const auto result = run_program(
        {"predict", model, folder / "four.csv", "-o", folder / "four.csv"});

    CHECK(result.exit_code == 2);
    CHECK(read_bytes(folder / "four.csv") == kFour);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "takes a repeated scale once and refuses another") {
    const std::string model = folder / "model.json";
    const std::string iris = data_file("iris.csv");
    run_program({"train", iris, "--scale", "10", "-q", "-o", model});
    const auto plain = run_program({"predict", model, iris});

    CHECK(run_program({"predict", model, iris, "--scale", "10"}).output ==
          plain.output);
    const auto refused = run_program({"predict", model, iris, "--scale", "2"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.messages ==
          "mlp: error: --scale: the model scales its features differently; got "
          "2; leave the flag out\n");
  }

  TEST_CASE_FIXTURE(Four, "inspects a model and verifies it") {
    const auto result = run_program({"inspect", model, "--verify", "--json"});

    const json document = json::parse(result.output);
    CHECK(document["weights"].contains("layout"));
    CHECK_FALSE(document["weights"].contains("data"));
    CHECK(document["counts"]["weights"] == 6);
    CHECK(document["check"]["passed"] == true);
    CHECK(
        run_program({"inspect", model, "--verify"})
            .output.find("verified     3 predictions match the stored ones") !=
        std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "inspects data") {
    const std::string data = folder.write("four.csv", kFour);

    const auto result = run_program({"inspect", data, "--json", "-q"});

    const json report = json::parse(result.output);
    CHECK(report["rows"] == 4);
    CHECK(report["features"] == 2);
    CHECK(report["maximum"] == json{9, 1});
    CHECK(report["classes"] == json{"no", "yes"});
    CHECK(report["classRows"] == json{2, 2});
  }
}

}  // namespace mlp::test
