// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/model_document_check.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

using namespace mlp;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the check says to the full document after a change.
std::string refusal(const std::function<void(ModelDocument&)>& change) {
  ModelDocument document = mlp::tests::full_document();
  change(document);
  return mlp::test::thrown_message<mlp::ModelError>(
      [&] { mlp::check_model_document(document, "m.json"); });
}

void replace_model(ModelDocument& document, Vector weights,
                   std::vector<double> thresholds) {
  document.model = Model(document.model.topology(), std::move(weights),
                         std::move(thresholds));
}

}  // namespace

TEST_SUITE("mlp/model_file/model_document_check") {
  TEST_CASE("accepts documents with and without optional members") {
    CHECK(refusal([](ModelDocument&) {}) == "");
    CHECK(refusal([](ModelDocument& d) { d = mlp::tests::plain_document(); }) ==
          "");
  }

  TEST_CASE("accepts an objective that is not finite") {
    CHECK(refusal([](ModelDocument& d) {
            d.summary.objective_history = {kNaN, kInfinity, -kInfinity};
          }) == "");
  }

  TEST_CASE("refuses weights that are not finite") {
    CHECK(refusal([](ModelDocument& d) {
            Vector weights = d.model.weights();
            weights[7] = kNaN;
            replace_model(d, weights, {});
          }) == "m.json: $.weights.data[7]: must be a finite number; got NaN");
  }

  TEST_CASE("refuses hyper-parameters outside of their interval") {
    CHECK(refusal([](ModelDocument& d) { d.params.max_iter = -1; }) ==
          "m.json: $.params.maxIter: must be an integer >= 0; got -1");
    CHECK(refusal([](ModelDocument& d) { d.params.step_size = kNaN; }) ==
          "m.json: $.params.stepSize: must be a number > 0; got NaN");
  }

  TEST_CASE("refuses an infinite hyper-parameter that its interval allows") {
    CHECK(refusal([](ModelDocument& d) { d.params.step_size = kInfinity; }) ==
          "m.json: $.params.stepSize: must be a number > 0; got Infinity");
  }

  TEST_CASE("refuses names that are not UTF-8") {
    CHECK(refusal([](ModelDocument& d) {
            d.model.set_feature_names({"a", "b\xFF"});
          }) ==
          "m.json: $.input.featureNames[1]: must be UTF-8; got \"b\"...: "
          "convert the name to UTF-8");
    CHECK(
        refusal([](ModelDocument& d) { d.model.set_label_names({"\xE9"}); }) ==
        "m.json: $.labels[0]: must be UTF-8; got \"\"...: convert the "
        "name to UTF-8");
  }

  TEST_CASE("refuses a label column that is not UTF-8 or is a feature") {
    CHECK(refusal([](ModelDocument& d) { d.model.set_label_column("\xE9"); }) ==
          "m.json: $.input.label: must be UTF-8; got \"\"...: convert the name "
          "to UTF-8");
    CHECK(
        refusal([](ModelDocument& d) {
          d.model.set_feature_names({"a", "b"});
          d.model.set_label_column("b");
        }) ==
        "m.json: $.input.label: must not be the name of a feature; got \"b\", "
        "which is $.input.featureNames[1]");
  }

  TEST_CASE("refuses classes of one name, and takes features of one name") {
    CHECK(refusal([](ModelDocument& d) {
            d.model.set_label_names({"a", "a"});
          }) == "m.json: $.labels[1]: must differ from $.labels[0]; got \"a\"");
    CHECK(refusal([](ModelDocument& d) {
            d.model.set_feature_names({"a", "a"});
          }) == "");
  }

  TEST_CASE("refuses a scaler that is not finite or negative") {
    CHECK(refusal([](ModelDocument& d) {
            d.model.set_scaler({Vector{{0.0, kInfinity}}, Vector{{1.0, 1.0}}});
          }) ==
          "m.json: $.input.mean[1]: must be a finite number; got Infinity");
    CHECK(refusal([](ModelDocument& d) {
            d.model.set_scaler({Vector{{0.0, 0.0}}, Vector{{-0.5, 1.0}}});
          }) == "m.json: $.input.std[0]: must be a number >= 0; got -0.5");
  }

  TEST_CASE("refuses thresholds that Spark refuses") {
    const std::string rule =
        ": must be a finite number >= 0, at most one of them 0; got ";
    const auto of = [](std::vector<double> thresholds) {
      return refusal([&](ModelDocument& d) {
        replace_model(d, d.model.weights(), thresholds);
      });
    };

    CHECK(of({0.0, 0.5, 1.0}) == "");
    CHECK(of({0.0, 0.5, 0.0}) == "m.json: $.thresholds[2]" + rule + "0");
    CHECK(of({-1.0, 0.5, 0.0}) == "m.json: $.thresholds[0]" + rule + "-1");
    CHECK(of({1.0, kInfinity, 0.0}) ==
          "m.json: $.thresholds[1]" + rule + "Infinity");
  }

  TEST_CASE("refuses negative counts") {
    CHECK(refusal([](ModelDocument& d) { d.summary.evaluations = -2; }) ==
          "m.json: $.training.evaluations: must be an integer >= 0; got -2");
    CHECK(refusal([](ModelDocument& d) { d.num_instances = -1; }) ==
          "m.json: $.training.rows: must be an integer >= 0; got -1");
  }

  TEST_CASE("refuses a self-test of other shapes than the model") {
    const auto resized = [](auto member) {
      return refusal(
          [&](ModelDocument& d) { (d.self_test[0].*member).setZero(4); });
    };

    CHECK(resized(&mlp::SelfTestInstance::features) ==
          "m.json: $.selfTest[0].features: must be 2 numbers for layers "
          "[2, 2, 3]; got 4");
    CHECK(resized(&mlp::SelfTestInstance::raw_prediction) ==
          "m.json: $.selfTest[0].rawPrediction: must be 3 numbers for layers "
          "[2, 2, 3]; got 4");
    CHECK(resized(&mlp::SelfTestInstance::probability) ==
          "m.json: $.selfTest[0].probability: must be 3 numbers for layers "
          "[2, 2, 3]; got 4");
  }

  TEST_CASE("refuses a self-test with a class that there is not") {
    CHECK(refusal([](ModelDocument& d) { d.self_test[0].prediction = 3; }) ==
          "m.json: $.selfTest[0].prediction: must be an integer from 0 to 2; "
          "got 3");
    CHECK(refusal(
              [](ModelDocument& d) { d.self_test[0].probability[1] = kNaN; }) ==
          "m.json: $.selfTest[0].probability[1]: must be a finite number; "
          "got NaN");
  }
}
