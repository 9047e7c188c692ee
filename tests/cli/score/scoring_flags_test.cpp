// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../../mlp/model_json.hpp"
#include "../run_program.hpp"

namespace mlp::test {

using nlohmann::json;

namespace {

/// The exponential function and printing: a few roundings.
constexpr double kRounding = 1e-14;

/// The linear model predicts 0, 1 and 1; the labels are 0, 0 and 1.
constexpr const char* kThreeRows = "1,2,0\n1,0,0\n1,0,1\n";

using Scaling = std::optional<datasets::StandardScaler>;

/// Saves a model whose label is the column behind its features.
std::string save(const ScratchFolder& folder, Model model,
                 const Scaling& scaling = {}) {
  if (scaling) model.set_scaler(*scaling);
  model.set_label_column(std::to_string(model.num_features()));
  datasets::Dataset data;
  data.features = Matrix::Ones(model.num_features(), 1);
  save_model(folder / "model.json",
             make_model_document(std::move(model), {}, {}, data));
  return folder / "model.json";
}

/// raw = [x + 2 y + 1/2, 3 x - y - 1/4]
Model linear_model() {
  Vector weights(6);
  weights << 1.0, 3.0, 2.0, -1.0, 0.5, -0.25;
  return Model(Topology({2, 2}), weights);
}

/// Its hidden layer computes sigmoid(x), sigmoid(y).
Model hidden_model() {
  Vector weights = Vector::Zero(12);
  weights[0] = 1.0;
  weights[3] = 1.0;
  return Model(Topology({2, 2, 2}), weights);
}

/// The numbers of CSV after its header.
std::vector<double> numbers_of(const std::string& csv) {
  std::vector<double> numbers;
  std::istringstream stream(csv.substr(csv.find('\n') + 1));
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) {
      numbers.push_back(std::stod(field));
    }
  }
  return numbers;
}

void check_close(const std::vector<double>& received,
                 const std::vector<double>& expected) {
  REQUIRE(received.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(received[i] == doctest::Approx(expected[i]).epsilon(kRounding));
  }
}

}  // namespace

TEST_SUITE("cli/score/scoring_flags") {
  TEST_CASE_FIXTURE(
      InFolder, "divides the features by --scale if the model has no scaling") {
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", "1,2\n");
    const std::vector<std::string> words{"predict", model, rows, "--output",
                                         "rawPrediction"};

    CHECK(output_of(words) == "rawPrediction_0,rawPrediction_1\n5.5,0.75\n");
    CHECK(output_of(with(words, {"--scale", "4"})) ==
          "rawPrediction_0,rawPrediction_1\n1.75,0\n");
  }

  TEST_CASE_FIXTURE(InFolder, "evaluates and featurizes with --scale too") {
    // The class is 1 if 2 x - 3 y > 3/4: for (1, 0), but not for (1/4, 0).
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", "1,0,1\n");
    const std::vector<std::string> words{"evaluate", model, rows, "--json",
                                         "-q"};

    CHECK(json::parse(output_of(words))["accuracy"] == 1);
    CHECK(json::parse(output_of(with(words, {"--scale", "4"})))["accuracy"] ==
          0);
    const std::string hidden = save(folder, hidden_model());
    const std::string two = folder.write("two.csv", "0,8\n");
    check_close(numbers_of(output_of({"featurize", hidden, two, "--layer", "1",
                                      "--scale", "4"})),
                {0.5, 1.0 / (1.0 + std::exp(-2.0))});
  }

  TEST_CASE_FIXTURE(
      InFolder, "writes the hidden outputs of features that the model scales") {
    const datasets::StandardScaler scaler{Vector{{3.0, -1.0}},
                                          Vector{{2.0, 0.5}}};
    const std::string model = save(folder, hidden_model(), scaler);
    const std::string rows = folder.write("rows.csv", "3,0\n5,-1\n");

    const std::string table =
        output_of({"featurize", model, rows, "--layer", "1"});

    // Scaled: (0, 2) and (1, 0).
    CHECK(table.substr(0, table.find('\n')) == "hidden1_0,hidden1_1");
    check_close(numbers_of(table), {0.5, 1.0 / (1.0 + std::exp(-2.0)),
                                    1.0 / (1.0 + std::exp(-1.0)), 0.5});
  }

  TEST_CASE_FIXTURE(InFolder,
                    "leaves out or keeps the column that --label names") {
    const std::string rows = folder.write("rows.csv", "a,kind,b\n1,x,2\n");
    const std::string linear = save(folder, linear_model());

    CHECK(output_of({"predict", linear, rows, "--label", "kind", "--output",
                     "rawPrediction,prediction"}) ==
          "rawPrediction_0,rawPrediction_1,prediction\n5.5,0.75,0\n");
    const std::string hidden = save(folder, hidden_model());
    const std::string features = output_of(
        {"featurize", hidden, rows, "--layer", "1", "--label", "kind"});
    CHECK(features.substr(0, features.find('\n')) ==
          "hidden1_0,hidden1_1,kind");
    CHECK(features.ends_with(",x\n"));
  }

  TEST_CASE_FIXTURE(InFolder, "writes every column group that --output names") {
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", "1,2\n");

    const std::string table = output_of(
        {"predict", model, rows, "--output", "probability,prediction"});

    CHECK(table.substr(0, table.find('\n')) ==
          "probability_0,probability_1,prediction");
    const double first = 1.0 / (1.0 + std::exp(0.75 - 5.5));
    check_close(numbers_of(table), {first, 1.0 - first, 0.0});
  }

  TEST_CASE_FIXTURE(InFolder, "evaluates against the labels of another file") {
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", "1,2\n1,0\n0,0\n");
    // The predictions are 0, 1, 0.
    const std::string labels = folder.write(
        "labels.idx", std::string("\0\0\x08\x01\0\0\0\x03\0\0\x01", 11));

    const json metrics = json::parse(output_of(
        {"evaluate", model, rows, "--labels", labels, "--json", "-q"}));

    CHECK(metrics["accuracy"] == 1.0 / 3.0);
    CHECK(metrics["confusionMatrix"] ==
          json(std::vector<std::vector<int>>{{1, 1}, {1, 0}}));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "takes numbers of a file without columns for class names") {
    Model model = linear_model();
    model.set_label_names({"9", "8"});
    const std::string path = save(folder, std::move(model));
    const std::string rows = folder.write("rows.csv", "1,2\n1,0\n0,0\n");
    const std::string labels = folder.write(
        "labels.idx", std::string("\0\0\x08\x01\0\0\0\x03\x09\x09\x08", 11));

    const json metrics = json::parse(output_of(
        {"evaluate", path, rows, "--labels", labels, "--json", "-q"}));

    CHECK(metrics["accuracy"] == 1.0 / 3.0);

    const std::string indices = folder.write(
        "indices.idx", std::string("\0\0\x08\x01\0\0\0\x03\0\0\x01", 11));
    CHECK(run_program({"evaluate", path, rows, "--labels", indices, "-q"})
              .messages.find("unknown label '0'; expected one of '9', '8'") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a label that is not a class of the model") {
    const std::string model = save(folder, linear_model());
    for (const char* label : {"2", "-1", "0.5"}) {
      const std::string rows =
          folder.write("rows.csv", std::string("1,2,0\n1,0,") + label + '\n');

      const auto result = run_program({"evaluate", model, rows, "-q"});

      CHECK(result.exit_code == 3);
      CHECK(result.messages.find("labels must be") != std::string::npos);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "refuses rows of another width in every format") {
    const std::string model = save(folder, linear_model());
    const std::string three = folder.write("three.csv", "1,2,3\n");
    const std::string wide = folder.write("wide.svm", "0 1:1 3:2\n");
    const std::string narrow = folder.write("narrow.svm", "0 1:1\n");

    CHECK(run_program({"predict", model, three}).exit_code == 3);
    CHECK(run_program({"predict", model, wide}).exit_code == 3);
    // A row of LIBSVM may leave its last zeros out.
    CHECK(output_of({"predict", model, narrow, "--output", "rawPrediction",
                     "-q"}) == "rawPrediction_0,rawPrediction_1\n1.5,2.75\n");
  }

  TEST_CASE_FIXTURE(InFolder, "quotes names of classes that contain a comma") {
    Model model = hidden_model();
    model.set_label_names({"a,b", "say \"c\""});
    const std::string path = save(folder, std::move(model));
    const std::string rows = folder.write("rows.csv", "x,y,k\n1,2,\"a,b\"\n");

    CHECK(output_of({"predict", path, rows, "--label", "k", "--output",
                     "prediction"}) == "prediction\n\"a,b\"\n");
    CHECK(output_of({"featurize", path, rows, "--label", "k", "--layer", "1"})
              .ends_with(",\"a,b\"\n"));
  }

  TEST_CASE_FIXTURE(InFolder, "writes each metric under its own name") {
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", kThreeRows);

    const json metrics =
        json::parse(output_of({"evaluate", model, rows, "--json", "-q"}));

    const auto near = [](double number) {
      return doctest::Approx(number).epsilon(kRounding);
    };
    CHECK(metrics["truePositiveRateByLabel"] == json{0.5, 1});
    CHECK(metrics["falsePositiveRateByLabel"] == json{0, 0.5});
    CHECK(metrics["fMeasureByLabel"][0].get<double>() == near(2.0 / 3.0));
    CHECK(metrics["weightedPrecision"].get<double>() == near(5.0 / 6.0));
    CHECK(metrics["weightedRecall"].get<double>() == near(2.0 / 3.0));
    CHECK(metrics["weightedTruePositiveRate"].get<double>() == near(2.0 / 3.0));
    CHECK(metrics["weightedFalsePositiveRate"].get<double>() ==
          near(1.0 / 6.0));
    CHECK(metrics["weightedFMeasure"].get<double>() == near(2.0 / 3.0));
  }

  TEST_CASE_FIXTURE(InFolder, "prints each metric in its own column") {
    const std::string model = save(folder, linear_model());
    const std::string rows = folder.write("rows.csv", kThreeRows);

    const std::string text = output_of({"evaluate", model, rows, "-q"});

    for (const char* line :
         {"0            1.0000  0.5000     0.6667   0.0000\n",
          "1            0.5000  1.0000     0.6667   0.5000\n",
          "weighted     0.8333  0.6667     0.6667   0.1667\n"}) {
      CHECK(text.find(line) != text.npos);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "prints the errors of a regressor by hand") {
    Vector weights(2);
    weights << 2.0, 1.0;
    const std::string model = save(
        folder,
        Model(Topology({1, 1}, LossFunction(Loss::kSquaredError)), weights));
    // The predictions are 1, 3, 5: the errors are 1, 1 and -2.
    const std::string rows = folder.write("rows.csv", "0,2\n1,4\n2,3\n");

    const json metrics =
        json::parse(output_of({"evaluate", model, rows, "--json", "-q"}));

    CHECK(metrics["rootMeanSquaredError"] == std::sqrt(2.0));
    CHECK(metrics["meanAbsoluteError"].get<double>() ==
          doctest::Approx(4.0 / 3.0).epsilon(kRounding));
    // The labels deviate from their mean 3 by squares 1 + 1 + 0.
    CHECK(metrics["r2"] == -2.0);
    CHECK(metrics["rows"] == 3);
    CHECK(output_of({"predict", model, rows, "--label", "-1"}) ==
          "prediction\n1\n3\n5\n");
    CHECK(output_of({"evaluate", model, rows, "-q"}) ==
          "R2    -2  on 3 instances\nRMSE  1.41421\nMAE   1.33333\n");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "inspects the columns and labels that flags name") {
    const std::string rows = folder.write("rows.csv", "k,a,b\n5,1,2\n5,3,8\n");
    const std::string labels = folder.write(
        "labels.idx", std::string("\0\0\x08\x01\0\0\0\x02\x07\x09", 10));

    const json by_column =
        json::parse(output_of({"inspect", rows, "--label", "k", "--json"}));
    const json by_file =
        json::parse(output_of({"inspect", rows, "--labels", labels, "--json"}));

    CHECK(by_column["featureNames"] == json{"a", "b"});
    CHECK(by_column["minimum"] == json{1, 2});
    CHECK(by_column["mean"] == json{2, 5});
    CHECK(by_column["maximum"] == json{3, 8});
    CHECK(by_column["classes"] == json::array({"5"}));
    CHECK(by_column["classRows"] == json::array({2}));
    CHECK(by_file["features"] == 3);
    CHECK(by_file["classes"] == json{"7", "9"});
  }
}

}  // namespace mlp::test
