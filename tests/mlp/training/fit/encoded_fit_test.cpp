// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../mlp/training/fit/encoded_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../../datasets/standard_scaler.hpp"
#include "../../../../mlp/mlp.hpp"
#include "../../../thrown_message.hpp"

namespace mlp {

namespace {

/// The label is 1 between two thresholds of the first feature; the second is 0 or 1.
datasets::Dataset threshold_data(Index num_instances = 120) {
  datasets::Dataset data;
  data.features.resize(2, num_instances);
  data.labels.resize(num_instances);
  for (Index i = 0; i < num_instances; ++i) {
    const double x = 50.0 * std::sin(1.7 * static_cast<double>(i));
    data.features.col(i) << x, i % 3 == 0 ? 1.0 : 0.0;
    data.labels[i] = std::abs(x) < 20.0 ? 1.0 : 0.0;
  }
  return data;
}

Params quantile_network() {
  Params params;
  params.layers = {2, 3, 2};
  params.seed = 5;
  params.numeric_encoding = {6};
  return params;
}

FitOptions standardizing() {
  FitOptions options;
  options.is_standardizing = true;
  return options;
}

/// The encoded data, as a caller would make them.
datasets::Dataset encoded(const datasets::Dataset& data) {
  datasets::Dataset values = data;
  datasets::QuantileEncoder::fit(data, 6).encode(values);
  return values;
}

/// What a fit says that has a warm start.
std::string refusal(const Params& params, const Model& start) {
  FitOptions options;
  options.warm_start = &start;
  return test::thrown_message<ParamError>(
      [&] { return Classifier(params).fit(threshold_data(), options); });
}

}  // namespace

TEST_SUITE("mlp/training/fit/encoded_fit") {
  TEST_CASE("gives the network that a fit on encoded data gives") {
    const datasets::Dataset data = threshold_data();
    const datasets::Dataset values = encoded(data);
    const Params plain = encoded_params(
        quantile_network(), datasets::QuantileEncoder::fit(data, 6));

    const Model model = Classifier(quantile_network()).fit(data).model;

    CHECK(plain.layers == std::vector<Index>{8, 3, 2});
    const Model expected = Classifier(plain).fit(values).model;
    CHECK(model.weights() == expected.weights());
    CHECK(model.num_features() == 2);
    CHECK(model.predict_raw(data.features) ==
          expected.predict_raw(values.features));
    CHECK(model.hidden_output(data.features, 1) ==
          expected.hidden_output(values.features, 1));
  }

  // The bins are of the features as they are, and stay from 0 to 1.
  TEST_CASE("standardises the features beside their bins") {
    const datasets::Dataset data = threshold_data();
    const auto scaler = datasets::StandardScaler::fit(data);
    datasets::Dataset values = encoded(data);
    scaler.apply(values.features.topRows(2));
    const Params plain = encoded_params(
        quantile_network(), datasets::QuantileEncoder::fit(data, 6));

    const Model model =
        Classifier(quantile_network()).fit(data, standardizing()).model;

    REQUIRE(model.scaler().has_value());
    CHECK(model.scaler()->mean == scaler.mean);
    const Model expected = Classifier(plain).fit(values).model;
    CHECK(model.weights() == expected.weights());
    CHECK(model.predict_raw(data.features) ==
          expected.predict_raw(values.features));
    CHECK(model.hidden_output(data.features, 1) ==
          expected.hidden_output(values.features, 1));
  }

  TEST_CASE("does not depend on threads, and leaves the data as they are") {
    const datasets::Dataset data = threshold_data();
    FitOptions options = standardizing();
    const Model one = Classifier(quantile_network()).fit(data, options).model;
    options.num_threads = 3;

    const Model three = Classifier(quantile_network()).fit(data, options).model;

    CHECK(one.weights() == three.weights());
    CHECK(data.features == threshold_data().features);
  }

  TEST_CASE("encodes owned instances and the validation set") {
    const datasets::Dataset data = threshold_data();
    const datasets::Dataset held_out = threshold_data(50);
    FitOptions options = standardizing();
    options.validation = &held_out;
    const FitResult expected =
        Classifier(quantile_network()).fit(data, options);
    TrainingInstances owned{threshold_data()};

    const FitResult result = Classifier(quantile_network()).fit(owned, options);

    CHECK(result.model.weights() == expected.model.weights());
    CHECK(result.summary.validation_history ==
          expected.summary.validation_history);
    CHECK(result.summary.validation_history.size() > 1);
  }

  TEST_CASE("trains a regressor and warns of the scale of its features") {
    Params params = quantile_network();
    params.layers = {2, 3, 1};
    datasets::Dataset data = threshold_data();
    data.features *= 100.0;

    const FitResult result = Regressor(params).fit(data);

    CHECK(result.model.is_regressor());
    CHECK(result.model.num_features() == 2);
    REQUIRE(!result.warnings.empty());
    CHECK(result.warnings.front().code == FitWarningCode::kUnevenScale);
  }

  TEST_CASE("starts from a model with its encoding and its scaler") {
    const Model start = Classifier(quantile_network())
                            .fit(threshold_data(), standardizing())
                            .model;
    FitOptions options = standardizing();
    options.warm_start = &start;
    Params params = quantile_network();
    params.max_iter = 0;

    const Model model =
        Classifier(params).fit(threshold_data(30), options).model;

    CHECK(model.encoder()->edges() == start.encoder()->edges());
    CHECK(model.scaler()->mean == start.scaler()->mean);
    CHECK(model.weights() == start.weights());
  }

  TEST_CASE("refuses another encoding than the model it starts from") {
    Params linear = quantile_network();
    linear.numeric_encoding = {};
    Params other = quantile_network();
    other.numeric_encoding = {7};
    const Model encoding =
        Classifier(quantile_network()).fit(threshold_data()).model;
    const Model plain = Classifier(linear).fit(threshold_data()).model;

    CHECK(refusal(linear, encoding) ==
          "numericEncoding must be quantile:6, as in the model that training "
          "starts from; got linear");
    CHECK(refusal(other, encoding) ==
          "numericEncoding must be quantile:6, as in the model that training "
          "starts from; got quantile:7");
    CHECK(refusal(quantile_network(), plain) ==
          "numericEncoding must be linear, as in the model that training "
          "starts from; got quantile:6");
  }

  TEST_CASE("refuses quantiles on several ranks") {
    CHECK(test::thrown_message<ParamError>([] {
            check_numeric_encoding(quantile_network(), nullptr, 2);
            return 0;
          }) ==
          "numericEncoding must be linear on several ranks, because quantiles "
          "are not merged over ranks; got quantile:6 on 2 ranks; train in one "
          "process");
  }

  TEST_CASE("refuses initial weights, whose number the data decide") {
    Params params = quantile_network();
    params.initial_weights = Vector::Zero(17);

    CHECK(
        test::thrown_message<ParamError>([&] { return Classifier(params); }) ==
        "initialWeights must be empty with numericEncoding quantile, which "
        "makes the inputs of the network from the data; start from a model "
        "instead");
  }

  TEST_CASE("refuses features and weights as a plain fit does") {
    datasets::Dataset narrow = threshold_data();
    narrow.features.conservativeResize(1, Eigen::NoChange);
    datasets::Dataset infinite = threshold_data();
    infinite.features(0, 3) = std::numeric_limits<double>::infinity();
    datasets::Dataset negative = threshold_data();
    negative.weights = Vector::Constant(120, -1.0);
    const Classifier classifier(quantile_network());

    CHECK(test::thrown_message<ShapeError>([&] {
            return classifier.fit(narrow);
          }) == "instances must have 2 features for layers [2, 3, 2]; got 1");
    CHECK(test::thrown_message<DataError>([&] {
            return classifier.fit(infinite);
          }) == "features must be finite; feature 0 of instance 3 is Infinity");
    CHECK(test::thrown_message<DataError>([&] {
            return classifier.fit(negative);
          }) == "weights must be finite and >= 0; instance 0 has weight -1");
    CHECK_THROWS_AS(static_cast<void>(classifier.fit(threshold_data(0))),
                    DataError);
  }
}

}  // namespace mlp
