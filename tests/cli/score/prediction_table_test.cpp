// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/score/prediction_table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/model/model.hpp"

namespace mlp::cli {

namespace {

/// Raw predictions are x and 0 for a feature x.
Model make_model() {
  Vector weights(4);
  weights << 1, 0, 0, 0;
  return Model(Topology({1, 2}), weights);
}

/// Each number that it predicts is the feature.
Model make_regressor(Index num_outputs) {
  Vector weights = Vector::Zero(2 * num_outputs);
  weights.head(num_outputs).setOnes();
  return Model(Topology({1, num_outputs}, LossFunction(Loss::kSquaredError)),
               weights);
}

Matrix two_instances() {
  Matrix features(1, 2);
  features << 0.5, -0.5;
  return features;
}

std::string csv_field(std::string_view field) {
  std::string text;
  cli::append_csv_field(text, field);
  return text;
}

datasets::Dataset dataset_of(const Matrix& features) {
  datasets::Dataset data;
  data.features = features;
  return data;
}

std::string format_predictions(const Model& model, const Matrix& features,
                               const PredictionTable& table,
                               int num_threads = 1) {
  const cli::PredictionLines lines(model, table.line_content(),
                                   reference_backend());
  std::string text;
  cli::write_predictions(lines, dataset_of(features), table, num_threads,
                         [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

TEST_SUITE("cli/score/prediction_table") {
  TEST_CASE("reads columns in the order asked") {
    CHECK(parse_output_columns("probability,prediction") ==
          std::vector<OutputColumn>{OutputColumn::kProbability,
                                    OutputColumn::kPrediction});
  }

  TEST_CASE("refuses unknown and repeated columns") {
    const std::string sentence =
        "--output: must be prediction, probability, rawPrediction, lower, "
        "upper or set, each at most once and separated by commas; got '";

    CHECK_THROWS_WITH_AS(parse_output_columns("label"),
                         (sentence + "label'").c_str(), ParamError);
    CHECK_THROWS_WITH_AS(parse_output_columns("prediction,prediction"),
                         (sentence + "prediction'").c_str(), ParamError);
    CHECK_THROWS_WITH_AS(parse_output_columns("prediction,"),
                         (sentence + "'").c_str(), ParamError);
  }

  TEST_CASE("writes the set of a model as a line of CSV in a field") {
    Model model = make_model();
    model.set_label_names({"yes, sir", "no"});
    model.set_prediction_set({0.9, 0.5});
    Matrix features(1, 3);
    features << 0.5, -0.5, 0.0;

    const std::string text = format_predictions(
        model, features,
        {default_output_columns(model), OutputFormat::kCsv, {}});

    CHECK(text ==
          "prediction,set\n"
          "\"yes, sir\",\"\"\"yes, sir\"\"\"\n"
          "no,no\n"
          "\"yes, sir\",\"\"\"yes, sir\"\",no\"\n");
  }

  TEST_CASE("writes the set of a model as an array of JSON") {
    Model model = make_model();
    model.set_prediction_set({0.9, 0.3});

    CHECK(format_predictions(
              model, two_instances(),
              {{OutputColumn::kSet}, OutputFormat::kJsonLines, {}}) ==
          "{\"set\":[\"0\",\"1\"]}\n"
          "{\"set\":[\"1\",\"0\"]}\n");
  }

  TEST_CASE("writes the ends of the intervals of a regressor") {
    Model model = make_regressor(1);
    model.set_prediction_interval({0.9, Vector{{-1.0}}, Vector{{2.0}}});
    const auto columns = default_output_columns(model);

    CHECK(format_predictions(model, two_instances(),
                             {columns, OutputFormat::kCsv, {}}) ==
          "prediction,lower,upper\n"
          "0.5,-0.5,2.5\n"
          "-0.5,-1.5,1.5\n");
    CHECK(format_predictions(model, two_instances(),
                             {columns, OutputFormat::kJsonLines, {}}) ==
          "{\"prediction\":0.5,\"lower\":-0.5,\"upper\":2.5}\n"
          "{\"prediction\":-0.5,\"lower\":-1.5,\"upper\":1.5}\n");
  }

  TEST_CASE("writes the intervals of several numbers in columns of their own") {
    Model model = make_regressor(2);
    model.set_label_names({"a", "b"});
    model.set_prediction_interval(
        {0.9, Vector{{-1.0, -3.0}}, Vector{{2.0, 3.0}}});
    const Matrix features = Matrix::Constant(1, 1, 0.5);

    CHECK(format_predictions(model, features,
                             {{OutputColumn::kLower, OutputColumn::kUpper},
                              OutputFormat::kCsv,
                              {}}) ==
          "lower_a,lower_b,upper_a,upper_b\n"
          "-0.5,-2.5,2.5,3.5\n");
    CHECK(format_predictions(
              model, features,
              {{OutputColumn::kLower}, OutputFormat::kJsonLines, {}}) ==
          "{\"lower\":{\"a\":-0.5,\"b\":-2.5}}\n");
  }

  TEST_CASE("refuses intervals and sets that the model does not have") {
    const auto write = [](const Model& model, OutputColumn column) {
      static_cast<void>(format_predictions(model, two_instances(),
                                           {{column}, OutputFormat::kCsv, {}}));
    };

    CHECK_THROWS_WITH_AS(
        write(make_model(), OutputColumn::kSet),
        "--output: set needs a model with prediction sets, which train "
        "--coverage gives a classifier",
        ParamError);
    CHECK_THROWS_WITH_AS(
        write(make_regressor(1), OutputColumn::kUpper),
        "--output: upper needs a model with prediction intervals, which train "
        "--interval gives a regressor",
        ParamError);
  }

  TEST_CASE("quotes fields as RFC 4180 does") {
    CHECK(csv_field("plain text") == "plain text");
    CHECK(csv_field("a,b") == "\"a,b\"");
    CHECK(csv_field("a\"b") == "\"a\"\"b\"");
    CHECK(csv_field("a\nb") == "\"a\nb\"");
    CHECK(csv_field("") == "\"\"");
  }

  TEST_CASE("writes indices where classes have no names") {
    CHECK(format_predictions(
              make_model(), two_instances(),
              {{OutputColumn::kPrediction, OutputColumn::kRawPrediction},
               OutputFormat::kCsv,
               {}}) ==
          "prediction,rawPrediction_0,rawPrediction_1\n"
          "0,0.5,0\n"
          "1,-0.5,0\n");
  }

  TEST_CASE("writes names where classes have them") {
    Model model = make_model();
    model.set_label_names({"yes, sir", "no"});

    const std::string text = format_predictions(
        model, two_instances(),
        {{OutputColumn::kRawPrediction, OutputColumn::kPrediction},
         OutputFormat::kCsv,
         {}});

    CHECK(text ==
          "\"rawPrediction_yes, sir\",rawPrediction_no,prediction\n"
          "0.5,0,\"yes, sir\"\n"
          "-0.5,0,no\n");
  }

  TEST_CASE("writes kept columns first with quotes where they need them") {
    CHECK(
        format_predictions(make_model(), two_instances(),
                           {{OutputColumn::kPrediction},
                            OutputFormat::kCsv,
                            {{"id, old", {"a", "b\"c"}}, {"1", {"", "x"}}}}) ==
        "\"id, old\",1,prediction\n"
        "a,\"\",0\n"
        "\"b\"\"c\",x,1\n");
  }

  TEST_CASE("writes JSON Lines with classes as texts and keys") {
    Model model = make_model();
    model.set_label_names({"yes", "n\"o"});

    const std::string text = format_predictions(
        model, two_instances(),
        {{OutputColumn::kPrediction, OutputColumn::kRawPrediction},
         OutputFormat::kJsonLines,
         {{"id", {"7", "8"}}}});

    CHECK(
        text ==
        R"({"id":"7","prediction":"yes","rawPrediction":{"yes":0.5,"n\"o":0}})"
        "\n"
        R"({"id":"8","prediction":"n\"o","rawPrediction":{"yes":-0.5,"n\"o":0}})"
        "\n");
  }

  TEST_CASE("writes the predictions of a regressor as numbers in JSON Lines") {
    Vector weights(2);
    weights << 2, 0.25;
    const Model model(Topology({1, 1}, Loss::kSquaredError), weights);

    const std::string text = format_predictions(
        model, two_instances(),
        {{OutputColumn::kPrediction}, OutputFormat::kJsonLines, {}});

    CHECK(text == "{\"prediction\":1.25}\n{\"prediction\":-0.75}\n");
  }

  TEST_CASE("refuses a kept column with the name of an output") {
    const cli::PredictionTable table{{OutputColumn::kPrediction},
                                     OutputFormat::kCsv,
                                     {{"prediction", {"a", "b"}}}};

    CHECK_THROWS_WITH_AS(
        format_predictions(make_model(), two_instances(), table),
        "--keep: two columns of the output would be named 'prediction'; keep "
        "other columns or rename this one",
        ParamError);
  }

  TEST_CASE(
      "writes the lines of many pieces in order on any number of threads") {
    constexpr Index kNumInstances = 100'000;
    const Matrix features = Matrix::NullaryExpr(
        1, kNumInstances,
        [](auto, auto instance) { return static_cast<double>(instance); });
    PredictionTable table{
        {OutputColumn::kRawPrediction}, OutputFormat::kCsv, {{"id", {}}}};
    std::string expected = "id,rawPrediction_0,rawPrediction_1\n";
    for (Index i = 0; i < kNumInstances; ++i) {
      const std::string number = format_double(static_cast<double>(i));
      table.kept[0].texts.push_back("row " + number);
      expected += "row " + number + ',' + number + ",0\n";
    }

    for (const int num_threads : {1, 2, 5}) {
      CHECK(format_predictions(make_model(), features, table, num_threads) ==
            expected);
    }
  }

  TEST_CASE("stops at the first piece that cannot be written") {
    const datasets::Dataset data = dataset_of(Matrix::Zero(1, 200'000));
    const PredictionTable table{{OutputColumn::kPrediction}, {}, {}};
    const Model model = make_model();
    const cli::PredictionLines lines(model, table.line_content(),
                                     reference_backend());
    int num_received = 0;
    const auto sink = [&](std::string_view) {
      if (++num_received == 3) throw ResourceError("the disk is full");
    };

    CHECK_THROWS_WITH_AS(cli::write_predictions(lines, data, table, 4, sink),
                         "the disk is full", ResourceError);
    CHECK(num_received == 3);
  }
}

}  // namespace mlp::cli
