// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "../../../mlp/model_json.hpp"
#include "../run_program.hpp"

namespace mlp::test {

namespace {

ModelDocument make_document() {
  Model model(Topology({2, 2}), Vector::LinSpaced(6, 0.0, 1.0));
  model.set_feature_names({"plain", "\x1b[31mred"});
  datasets::Dataset data;
  data.features = Matrix::Ones(2, 1);
  return make_model_document(std::move(model), {}, {}, data);
}

/// Rows of a feature and a label, of as many classes.
std::string write_classes(const ScratchFolder& folder, int num_classes) {
  std::string text = "x,label\n";
  for (int i = 0; i < num_classes; ++i) {
    text += "0," + std::to_string(i) + '\n';
  }
  return folder.write("rows.csv", text);
}

}  // namespace

TEST_SUITE("cli/describe/inspect") {
  TEST_CASE_FIXTURE(InFolder,
                    "knows a model by its first letter whatever its name is") {
    const std::string json = to_json(make_document());
    const std::string plain = folder.write("model", json);
    const std::string spaced = folder.write("spaced", " \n" + json);

    CHECK(run_program({"inspect", plain}).output.find("layers       [2, 2]") !=
          std::string::npos);
    // It is a model whose bytes were changed, and not a data file.
    CHECK(run_program({"inspect", spaced}).exit_code == 4);
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "prints a column of the model in each line with short numbers") {
    const std::string data = folder.write(
        "rows.csv", "x,color,y\n1,red,0\n,blue,1\n0,red,1\n1,?,0\n");
    const std::string model = folder / "m.json";
    REQUIRE(run_program({"train", data, "--missing", "mean", "--one-hot",
                         "auto", "--layers", "3,2", "-q", "-o", model})
                .exit_code == 0);

    const std::string text = run_program({"inspect", model}).output;

    CAPTURE(text);
    CHECK(text.find("\ncolumns      x (a missing value is replaced by "
                    "0.666667)\n             color (2 categories; a missing "
                    "value is replaced by red)\n") != std::string::npos);
    const std::string number = text.substr(text.find("objective    ") + 13);
    CHECK(number.size() <= 12);
  }

  TEST_CASE_FIXTURE(InFolder, "exits 4 if a stored prediction differs") {
    ModelDocument document = make_document();
    document.self_test.front().raw_prediction[1] += 1.0;
    save_model(folder / "m.json", document);

    const auto quiet = run_program({"inspect", folder / "m.json"});
    const auto verified =
        run_program({"inspect", folder / "m.json", "--verify"});

    CHECK(quiet.exit_code == 0);
    CHECK(verified.exit_code == 4);
    CHECK(verified.output.empty());
    CHECK(verified.messages.find("$.selfTest[0].rawPrediction[1]") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "exits 4 if a stored class differs") {
    ModelDocument document = make_document();
    document.self_test.front().prediction =
        1 - document.self_test.front().prediction;
    save_model(folder / "m.json", document);

    CHECK(run_program({"inspect", folder / "m.json", "--verify"}).exit_code ==
          4);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "sends no control characters of a file to a terminal") {
    save_model(folder / "m.json", make_document());

    const auto result = run_program({"inspect", folder / "m.json"});
    const auto missing = run_program({"inspect", "no\nfile\x1b.csv"});

    CHECK(result.output.find("features     plain, \\x1b[31mred\n") !=
          std::string::npos);
    CHECK(missing.messages.find("no\\x0afile\\x1b.csv") != std::string::npos);
    CHECK(missing.messages.find('\n') + 1 == missing.messages.size());
  }

  TEST_CASE_FIXTURE(InFolder, "describes each column as train reads it") {
    const std::string rows = folder.write(
        "rows.csv", "x;flag;same;k\n0.5;0;7;3\n1.5;1;7;3\n4;1;7;5\n");

    const auto result = run_program({"inspect", rows, "-q"});

    CHECK(result.output ==
          "3 instances of 3 features\n"
          "format  CSV with a header, separated by ';'\n"
          "label   column 3 ('k'), 2 classes, whose names are integers\n"
          "\n"
          "feature      type  minimum      mean  maximum  deviation\n"
          "x          number      0.5         2        4    1.80278\n"
          "flag      integer        0  0.666667        1    0.57735\n"
          "same     constant        7         7        7          0\n"
          "\n"
          "k  instances\n"
          "3          2\n"
          "5          1\n"
          "\n"
          "train with:  mlp train " +
              rows + " --label k -o rows.json\n");
  }

  TEST_CASE_FIXTURE(InFolder, "describes the numbers of a regression") {
    const std::string rows = folder.write("rows.csv", "x,y\n1,0.5\n2,1.5\n");

    const auto text =
        run_program({"inspect", rows, "--label", "y", "--task", "regression"});
    const auto json = run_program(
        {"inspect", rows, "--label", "y", "--task", "regression", "--json"});

    CHECK(text.messages.empty());
    CHECK(text.output.find("label   column 1 ('y'), numbers to predict\n") !=
          std::string::npos);
    CHECK(json.output.find("\"labelMinimum\": 0.5,\n") != std::string::npos);
    CHECK(json.output.find("\"labelKind\": \"number\",\n") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder, "counts the classes that it does not list") {
    const auto all = run_program({"inspect", write_classes(folder, 20)});
    const auto more = run_program({"inspect", write_classes(folder, 21)});

    CHECK(all.output.find("19     ") != std::string::npos);
    CHECK(all.output.find("more") == std::string::npos);
    CHECK(more.output.find("and 1 more; --json lists all of them\n") !=
          std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "counts missing values and the rows of each category") {
    const std::string rows = folder.write(
        "rows.csv", "x,color,kind\n1,red,a\n?,blue,b\n3,red,a\n5,NA,b\n");

    const auto text = run_program(
        {"inspect", rows, "--missing", "mean", "--one-hot", "auto"});
    const auto json = run_program(
        {"inspect", rows, "--missing", "mean", "--one-hot", "auto", "--json"});

    CHECK(text.output.find(
              "feature      type  minimum  mean  maximum  deviation  missing\n"
              "x         integer        1     3        5          2        1\n"
              "color    category                                           1\n"
              "\n"
              "category    instances\n"
              "color=blue          1\n"
              "color=red           2\n") != std::string::npos);
    CHECK(json.output.find("\"missing\": [1, 1]") != std::string::npos);
    CHECK(json.output.find("\"categories\": [[], [\"blue\", \"red\"]]") !=
          std::string::npos);
    CHECK(json.output.find("\"categoryRows\": [[], [1, 2]]") !=
          std::string::npos);
  }
}

}  // namespace mlp::test
