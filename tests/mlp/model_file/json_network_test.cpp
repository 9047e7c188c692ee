// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_network.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp::tests {

namespace {

using Hidden = std::vector<HiddenLayer>;

Activation named(std::string_view name) { return *Activation::find(name); }

/// A document of a network whose numbers are made up.
ModelDocument document_of(const Topology& topology) {
  const auto sequence = [](Index size) {
    return Vector(Vector::LinSpaced(size, 0.25, 1.0));
  };
  Model model(topology, sequence(topology.num_weights()));
  model.set_statistics(sequence(topology.num_statistics()));
  Params params;
  take_network(topology, params);
  params.solver = Solver::kAdam;
  datasets::Dataset data;
  data.features = Matrix::Constant(topology.num_features(), 1, 0.5);
  optim::Summary summary;
  summary.objective_history = {1.0};
  return make_model_document(std::move(model), params, summary, data);
}

/// Three hidden layers, each with other parts.
Topology rich_topology() {
  return Topology({2, 3, 4, 2, 2}, {},
                  Hidden{{named("relu"), true, false, 0.25},
                         {named("tanh"), false, true, 0.0},
                         {named("elu"), true, true, 0.5}});
}

const std::string kRich = to_json(document_of(rich_topology()));

/// What the reader says to a text after one replacement, its hash made right.
std::string refusal(const std::string& text, const std::string& old,
                    const std::string& by) {
  return test::thrown_message<ModelError>(
      [&] { return from_json(resigned(replaced(text, old, by)), "m.json"); });
}

std::string refusal(const std::string& old, const std::string& by) {
  return refusal(kRich, old, by);
}

}  // namespace

TEST_SUITE("mlp/model_file/json_network") {
  TEST_CASE("reads back every part of a network") {
    const ModelDocument read = from_json(kRich, "m.json");

    CHECK(read.model.topology() == rich_topology());
    CHECK(read.model.weights() == document_of(rich_topology()).model.weights());
    CHECK(read.model.statistics() ==
          document_of(rich_topology()).model.statistics());
    CHECK(to_json(read) == kRich);
    CHECK(verify_self_test(read).is_passed());
  }

  TEST_CASE("reads back every activation alone and in a list") {
    for (const std::string_view name : Activation::names()) {
      for (const Hidden& hidden :
           {Hidden{{named(name)}, {named(name)}},
            Hidden{{named(name)}, {named("softplus")}}}) {
        const Topology topology({2, 3, 3, 2}, {}, hidden);
        const std::string text = to_json(document_of(topology));
        CAPTURE(std::string(name));
        CHECK(from_json(text, "m.json").model.topology() == topology);
        CHECK(to_json(from_json(text, "m.json")) == text);
      }
    }
  }

  TEST_CASE("reads back every loss and the smoothing of labels") {
    for (const LossFunction& loss :
         {LossFunction(), LossFunction(Loss::kSoftmaxNll, 0.25),
          LossFunction(Loss::kSquaredError)}) {
      for (const bool is_residual : {false, true}) {
        const Topology topology({2, 2, 1}, loss, {{Activation(), is_residual}});
        const std::string text = to_json(document_of(topology));
        CAPTURE(text);
        CHECK(from_json(text, "m.json").model.topology() == topology);
        CHECK(to_json(from_json(text, "m.json")) == text);
      }
    }
  }

  TEST_CASE("writes the parts by the numbers of the layers") {
    CHECK(kRich.find("\"formatVersion\": 2,") != kRich.npos);
    CHECK(kRich.find("\"sparkClass\"") == kRich.npos);
    CHECK(kRich.find("\"activation\": \"relu,tanh,elu\"") != kRich.npos);
    CHECK(kRich.find("\"network\": {\"loss\":\"softmaxNll\","
                     "\"residual\":[1,3],\"batchNorm\":[2,3],"
                     "\"dropout\":[0.25,0,0.5],\"statistics\":[0.25,") !=
          kRich.npos);
    CHECK(kRich.find("\"layout\":\"mlp-flat\"") != kRich.npos);
  }

  TEST_CASE("calls weights Spark's where they lie as Spark's do") {
    using mlp::detail::layout_name;

    CHECK(layout_name(Topology({2, 3, 2})) == "spark-flat");
    CHECK(layout_name(Topology({2, 3, 2}, {}, {{named("relu")}})) ==
          "spark-flat");
    CHECK(layout_name(Topology({2, 2, 2}, {}, {{Activation(), true}})) ==
          "spark-flat");
    CHECK(layout_name(Topology({2, 3, 2}, {}, {{Activation(), true}})) ==
          "mlp-flat");
    CHECK(layout_name(Topology({2, 2, 2}, {}, {{Activation(), false, true}})) ==
          "mlp-flat");
  }

  TEST_CASE("names one activation for all hidden layers or one for each") {
    using mlp::detail::activation_names;

    CHECK(activation_names(Topology({2, 2})) == "sigmoid");
    CHECK(activation_names(Topology({2, 3, 3, 2})) == "sigmoid");
    CHECK(activation_names(Topology(
              {2, 3, 3, 2}, {}, {{named("relu")}, {named("relu")}})) == "relu");
    CHECK(activation_names(rich_topology()) == "relu,tanh,elu");
  }
}

TEST_SUITE("mlp/model_json_network refusal") {
  TEST_CASE("shows an activation that nobody knows or too few of them") {
    const std::string start =
        "m.json: $.activation: must name the activation of all hidden layers, "
        "or one for each, separated by commas; got ";

    CHECK(refusal("relu,tanh,elu", "relu,gelu,elu") ==
          start + "\"relu,gelu,elu\"");
    CHECK(refusal("relu,tanh,elu", "relu,tanh") == start + "\"relu,tanh\"");
    CHECK(refusal("relu,tanh,elu", "") == start + "\"\"");
  }

  TEST_CASE("shows a residual layer that is not there or there twice") {
    const std::string rest =
        "must be a hidden layer from 1 to 3, each once; got ";

    CHECK(refusal("[1,3]", "[1,4]") ==
          std::string("m.json: $.network.residual[1]: ") + rest + "4");
    CHECK(refusal("[1,3]", "[0,3]") ==
          std::string("m.json: $.network.residual[0]: ") + rest + "0");
    CHECK(refusal("[1,3]", "[1,3,1]") ==
          std::string("m.json: $.network.residual[2]: ") + rest + "1");
    CHECK(refusal("[2,3]", "[2,-9223372036854775808]") ==
          std::string("m.json: $.network.batchNorm[1]: ") + rest +
              "-9223372036854775808");
  }

  TEST_CASE("counts the rates of dropout and the statistics") {
    CHECK(refusal("[0.25,0,0.5]", "[0.25,0]") ==
          "m.json: $.network.dropout: must be 3 numbers, one per hidden layer; "
          "got 2");
    CHECK(refusal("\"statistics\":[0.25,", "\"statistics\":[") ==
          "m.json: $.network.statistics: must be 12 numbers, for layers [2, 3, "
          "4, 2, 2]; got 11");
  }

  TEST_CASE("takes no rates of dropout for no dropout") {
    const std::string text = resigned(replaced(kRich, "[0.25,0,0.5]", "[]"));

    const Topology topology = from_json(text, "m.json").model.topology();

    CHECK(topology.hidden(0).dropout == 0.0);
    CHECK(topology.hidden(2).dropout == 0.0);
  }

  TEST_CASE("shows a rate of dropout that is no share below 1") {
    CHECK(refusal("[0.25,0,0.5]", "[0.25,0,1]") ==
          "m.json: $.network.dropout: dropout must be a number >= 0 and < 1; "
          "got 1");
  }

  TEST_CASE("shows a running variance below 0") {
    ModelDocument document = document_of(rich_topology());
    Vector statistics = document.model.statistics();
    statistics[4] = -1.0;
    document.model.set_statistics(statistics);

    CHECK_THROWS_WITH_AS(
        to_json(document),
        "model: $.network.statistics[4]: must be a variance >= 0; got -1",
        ModelError);
  }

  TEST_CASE("shows a loss that nobody knows") {
    CHECK(refusal("softmaxNll", "hinge") ==
          "m.json: $.network.loss: must be softmaxNll, squaredError or "
          "sigmoidSquaredError; got \"hinge\"");
  }

  TEST_CASE("shows the layout that weights of other parts have") {
    CHECK(refusal("mlp-flat", "spark-flat") ==
          "m.json: $.weights.layout: must be \"mlp-flat\"; got \"spark-flat\"");
  }

  TEST_CASE("lets version 1 have nothing that Spark does not have") {
    const std::string text =
        to_json(document_of(Topology({2, 3, 2}, {}, {{named("relu")}})));

    CHECK(refusal(text, "\"formatVersion\": 2", "\"formatVersion\": 1") ==
          "m.json: $.activation: must be \"sigmoid\"; got \"relu\": version 1 "
          "supports no other activation");
    const std::string residual =
        to_json(document_of(Topology({2, 2, 2}, {}, {{Activation(), true}})));
    CHECK(refusal(residual, "\"formatVersion\": 2", "\"formatVersion\": 1") ==
          "m.json: $.formatVersion: must be 2 for a model that Spark does not "
          "support; got 1");
  }

  TEST_CASE("wants the class of Spark where Spark can have the model") {
    const std::string text = to_json(plain_document());
    const std::string line = std::string("  \"sparkClass\": \"")
                                 .append(kModelSparkClass)
                                 .append("\",\n");

    CHECK(text.find("\"formatVersion\": 1,") != text.npos);
    CHECK(refusal(text, line, "") ==
          "m.json: $: the member \"sparkClass\" is missing; every model that "
          "Spark supports has it");
  }

  TEST_CASE("wants a loss in the network") {
    CHECK(refusal("{\"loss\":\"softmaxNll\",", "{") ==
          "m.json: $.network: the member \"loss\" is missing; every model "
          "has it");
  }
}

}  // namespace mlp::tests
