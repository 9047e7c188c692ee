// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/sha256.hpp"
#include "../../../mlp/model_file/base64.hpp"
#include "../../../mlp/model_file/json_members.hpp"
#include "../../../mlp/model_json.hpp"
#include "sample_document.hpp"

namespace mlp {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Documents, and the members that they do not have. Spark's networks have a class and no
/// description, the others the opposite.
std::vector<std::pair<ModelDocument, std::string>> samples() {
  return {
      {tests::full_document(), "network predictionInterval predictionSet"},
      {tests::network_document(),
       "sparkClass labels thresholds predictionInterval predictionSet"},
      {tests::set_document(), "network labels thresholds predictionInterval"},
      {tests::interval_document(),
       "sparkClass labels thresholds predictionSet"}};
}

}  // namespace

TEST_SUITE("mlp/model_file/json_writer") {
  TEST_CASE("writes the members in their order and one to a line") {
    for (const auto& [document, missing] : samples()) {
      const std::string text = to_json(document);
      std::size_t at = 0;
      std::ptrdiff_t num_lines = 2;  // the braces

      for (const mlp::detail::Member& member : mlp::detail::kModelMembers) {
        const std::string name(member.name);
        const std::size_t found = text.find("\n  \"" + name + "\": ");
        CHECK_MESSAGE((found == text.npos) == contains(missing, name), name);
        if (found == text.npos) continue;
        CHECK_MESSAGE(found > at, name);
        at = found;
        ++num_lines;
      }
      CHECK(std::count(text.begin(), text.end(), '\n') == num_lines);
      CHECK(text.substr(0, 2) == "{\n");
      CHECK(text.substr(text.size() - 4) == "\"\n}\n");
    }
  }

  TEST_CASE("writes values as version 1 has them") {
    const std::string text = to_json(mlp::tests::full_document());

    for (
        const char* line :
        {R"("format": "mlp-model")", R"("formatVersion": 1)",
         R"("params": {"maxIter":20,"tol":1e-06,"blockSize":128,)"
         R"("solver":"l-bfgs","stepSize":0.03,"seed":1234})",
         R"("layers": [2,2,3])", R"("activation": "sigmoid")",
         "\"input\": {\"featureNames\":[\"length\","
         "\"w\\\"id\\\\th\\n\\u0001 \xC3\xA9\"],"
         "\"mean\":[0.5,-1],\"std\":[2,0],\"label\":\"kind \\\"x\\\"\"}",
         R"("labels": ["no","yes"])", R"("thresholds": [0.5,0.25,0.25])",
         R"("layout":"spark-flat","count":15,"encoding":"decimal","data":[0.73)",
         R"("training": {"objectiveHistory":[1.5,0.25,0.125],)"
         R"("totalIterations":2,"evaluations":4,)"
         R"("convergenceReason":"maxIter","rows":1})",
         R"("selfTest": [{"features":[0.5,2],"rawPrediction":[)"}) {
      CHECK_MESSAGE(contains(text, line), line);
    }
  }

  TEST_CASE("writes what Spark does not have as version 2 has it") {
    const std::string text = to_json(mlp::tests::network_document());

    for (const char* line :
         {R"("formatVersion": 2)", R"("solver":"sgd","stepSize":0.001,)",
          R"("momentum":0.9,"nesterov":true,)",
          R"("schedule":"cosine,warmup:2",)",
          R"("activation": "tanh,leaky-relu")",
          R"("network": {"loss":"softmaxNll","residual":[1,2],)"
          R"("batchNorm":[1,2],"dropout":[0.25,0],"statistics":[-0.125,)",
          R"("layout":"mlp-flat","count":43,)"}) {
      CHECK_MESSAGE(contains(text, line), line);
    }
  }

  TEST_CASE("keeps Spark's class where the training alone is not Spark's") {
    ModelDocument document = mlp::tests::plain_document();
    document.params.solver = Solver::kAdam;

    const std::string text = to_json(document);

    CHECK(contains(text, R"("formatVersion": 2)"));
    CHECK(contains(text, R"("sparkClass": )"));
    CHECK_FALSE(contains(text, R"("network")"));
  }

  TEST_CASE("leaves out what a model has not") {
    const std::string text = to_json(mlp::tests::plain_document());

    CHECK(contains(text, "\n  \"input\": {},\n"));
    CHECK_FALSE(contains(text, "labels"));
    CHECK_FALSE(contains(text, "thresholds"));
  }

  TEST_CASE("writes numbers of a history that are not finite as strings") {
    ModelDocument document = mlp::tests::plain_document();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    document.summary.objective_history = {
        1.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};

    CHECK(contains(to_json(document),
                   R"("objectiveHistory":[1,"Infinity","-Infinity","NaN"])"));
  }

  TEST_CASE("states the hash and the name of what it wrote") {
    const std::string text = to_json(mlp::tests::full_document());

    const std::string lines = text.substr(0, text.find("  \"sha256\": "));
    CHECK(text == lines + "  \"sha256\": \"" + sha256_hex(lines) + "\"\n}\n");
    CHECK(contains(text, "  \"uid\": \"" + model_uid(lines) + "\",\n"));
  }

  TEST_CASE("writes the same bytes twice and others for another model") {
    ModelDocument document = mlp::tests::full_document();
    const std::string text = to_json(document);

    CHECK(to_json(mlp::tests::full_document(), {}, "n.json") == text);
    document.params.seed += 1;
    CHECK(to_json(document) != text);
  }

  TEST_CASE("writes weights in base64 where asked") {
    const ModelDocument document = mlp::tests::plain_document();
    const std::string text = to_json(document, WeightsEncoding::kBase64);

    std::string data;
    append_base64(data, document.model.weights());

    CHECK(contains(
        text, R"("count":15,"encoding":"base64","data":")" + data + "\"}"));
  }

  TEST_CASE("chooses base64 above 100,000 weights unless told otherwise") {
    CHECK(mlp::detail::default_encoding(100'000) == WeightsEncoding::kDecimal);
    CHECK(mlp::detail::default_encoding(100'001) == WeightsEncoding::kBase64);
    ModelDocument document = mlp::tests::plain_document();
    const Topology topology({499, 200, 3});
    document.model = Model(topology, Vector::Ones(topology.num_weights()));
    document.self_test.clear();

    CHECK(contains(to_json(document), "\"encoding\":\"base64\""));
    CHECK(contains(to_json(document, WeightsEncoding::kDecimal),
                   "\"encoding\":\"decimal\""));
  }

  TEST_CASE("writes the shortest decimals, and zeros with their sign") {
    std::string text = "data:";

    mlp::detail::append_weights(text,
                                Vector{{0.1, -2.0, 0.0, -0.0, 1e-7, 1e300}},
                                WeightsEncoding::kDecimal);

    CHECK(text == "data:[0.1,-2,0,-0.0,1e-07,1e+300]");
  }

  TEST_CASE("needs no more room for weights than it says") {
    using Limits = std::numeric_limits<double>;
    for (const double longest :
         {Limits::lowest(), -Limits::min(), -1.2345678901234567e-300}) {
      for (const Index size : {0, 1, 100}) {
        const Vector weights = Vector::Constant(size, longest);
        for (const auto encoding :
             {WeightsEncoding::kDecimal, WeightsEncoding::kBase64}) {
          std::string text;
          mlp::detail::append_weights(text, weights, encoding);
          CHECK(text.size() <= mlp::detail::most_weights_bytes(size, encoding));
        }
      }
    }
  }
}

}  // namespace mlp
