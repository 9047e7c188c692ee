// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/result/selection_report.hpp"

#include <doctest/doctest.h>

#include "../../../mlp/mlp.hpp"
#include "../../../mlp/model_json.hpp"

namespace mlp {

namespace {

ModelDocument make_document(const SelectionReport& selection) {
  datasets::Dataset data;
  data.features = Matrix{{0, 1}};
  Params params;
  params.layers = {1, 2};
  ModelDocument document = make_model_document(
      Model(topology_of(params), Vector::Ones(4)), params, {}, data);
  document.selection = selection;
  return document;
}

SelectionReport make_report() {
  SelectionReport report;
  report.num_folds = 5;
  report.num_networks = 3;
  report.temperature = 1.25;
  report.unseen = {150, 0.125, 0.96, 0.03};
  return report;
}

}  // namespace

TEST_SUITE("mlp/result/selection_report") {
  TEST_CASE("a model file keeps it") {
    const std::string json = to_json(make_document(make_report()));
    const auto read = from_json(json, "model.json").selection;

    REQUIRE(read.has_value());
    CHECK(read->num_folds == 5);
    CHECK(read->num_networks == 3);
    CHECK(read->temperature == 1.25);
    CHECK(read->unseen.num_instances == 150);
    CHECK(read->unseen.loss == 0.125);
    CHECK(read->unseen.accuracy == 0.96);
    CHECK(read->unseen.calibration_error == 0.03);
  }

  TEST_CASE("a model file has no scores of no rows") {
    SelectionReport report = make_report();
    report.unseen = {};
    const std::string json = to_json(make_document(report));
    CHECK(json.find("unseenLoss") == json.npos);
    CHECK(from_json(json, "model.json").selection->unseen.num_instances == 0);
  }

  TEST_CASE("a model file is refused with a temperature that is not above 0") {
    SelectionReport report = make_report();
    report.temperature = 0.0;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(to_json(make_document(report))),
        "model: $.training.selection.temperature: must be a number > 0; got 0",
        ModelError);
  }
}

}  // namespace mlp
