// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/model_json_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "sample_document.hpp"

using mlp::ModelDocument;
using mlp::Vector;
using mlp::WeightsEncoding;
using mlp::write_model_json;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("mlp/model_json_writer") {
  TEST_CASE("writes the members in their order and one to a line") {
    const std::string text =
        write_model_json(mlp::tests::full_document(), "m.json");
    std::size_t at = 0;

    for (const mlp::detail::Member& member : mlp::detail::kModelMembers) {
      const std::size_t found =
          text.find("\n  \"" + std::string(member.name) + "\": ");
      CHECK_MESSAGE((found != std::string::npos && found > at), member.name);
      at = found;
    }
    CHECK(std::count(text.begin(), text.end(), '\n') ==
          std::ptrdiff_t{mlp::detail::kModelMembers.size() + 2});
    CHECK(text.substr(0, 2) == "{\n");
    CHECK(text.substr(text.size() - 4) == "\"\n}\n");
  }

  TEST_CASE("writes values as version 1 has them") {
    const std::string text =
        write_model_json(mlp::tests::full_document(), "m.json");

    for (
        const char* line :
        {R"("format": "mlp-model")", R"("formatVersion": 1)",
         R"("params": {"maxIter":20,"tol":1e-06,"blockSize":128,)"
         R"("solver":"l-bfgs","stepSize":0.03,"seed":1234})",
         R"("layers": [2,2,3])", R"("activation": "sigmoid")",
         "\"input\": {\"featureNames\":[\"length\","
         "\"w\\\"id\\\\th\\n\\u0001 \xC3\xA9\"],"
         "\"mean\":[0.5,-1],\"std\":[2,0]}",
         R"("labels": ["no","yes"])", R"("thresholds": [0.5,0.25,0.25])",
         R"("layout":"spark-flat","count":15,"encoding":"decimal","data":[0.73)",
         R"("training": {"objectiveHistory":[1.5,0.25,0.125],)"
         R"("totalIterations":2,"evaluations":4,)"
         R"("convergenceReason":"maxIter","rows":1})",
         R"("selfTest": [{"features":[0.5,2],"rawPrediction":[)"}) {
      CHECK_MESSAGE(contains(text, line), line);
    }
  }

  TEST_CASE("leaves out what a model has not") {
    const std::string text =
        write_model_json(mlp::tests::plain_document(), "m.json");

    CHECK(contains(text, "\n  \"input\": {},\n"));
    CHECK_FALSE(contains(text, "labels"));
    CHECK_FALSE(contains(text, "thresholds"));
  }

  TEST_CASE("writes numbers of a history that are not finite as strings") {
    ModelDocument document = mlp::tests::plain_document();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    document.summary.objective_history = {
        1.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};

    CHECK(contains(write_model_json(document, "m.json"),
                   R"("objectiveHistory":[1,"Infinity","-Infinity","NaN"])"));
  }

  TEST_CASE("keeps the sign of a negative zero") {
    ModelDocument document = mlp::tests::plain_document();
    Vector weights = Vector::Zero(15);
    weights[1] = -0.0;
    document.model = mlp::Model(document.model.topology(), weights);

    CHECK(
        contains(write_model_json(document, "m.json"), "\"data\":[0,-0.0,0,"));
  }

  TEST_CASE("states the hash and the name of what it wrote") {
    const std::string text =
        write_model_json(mlp::tests::full_document(), "m.json");

    CHECK(contains(text,
                   "\"sha256\": \"" + mlp::hash_model_json(text) + "\"\n}"));
    CHECK(contains(text, "\"uid\": \"" + mlp::model_json_uid(text) + "\",\n"));
  }

  TEST_CASE("writes the same bytes twice and others for another model") {
    ModelDocument document = mlp::tests::full_document();
    const std::string text = write_model_json(document, "m.json");

    CHECK(write_model_json(mlp::tests::full_document(), "n.json") == text);
    document.params.seed += 1;
    CHECK(write_model_json(document, "m.json") != text);
  }

  TEST_CASE("writes weights in base64 where asked") {
    const ModelDocument document = mlp::tests::plain_document();
    const std::string text =
        write_model_json(document, "m.json", WeightsEncoding::kBase64);

    CHECK(contains(text, R"("count":15,"encoding":"base64","data":")" +
                             mlp::encode_base64(document.model.weights()) +
                             "\"}"));
  }

  TEST_CASE("chooses base64 above 100,000 weights unless told otherwise") {
    CHECK(mlp::detail::default_encoding(100'000) == WeightsEncoding::kDecimal);
    CHECK(mlp::detail::default_encoding(100'001) == WeightsEncoding::kBase64);
    ModelDocument document = mlp::tests::plain_document();
    const mlp::Topology topology({499, 200, 3});
    document.model = mlp::Model(topology, Vector::Ones(topology.num_weights()));
    document.self_test.clear();

    CHECK(contains(write_model_json(document, "m.json"),
                   "\"encoding\":\"base64\""));
    CHECK(contains(
        write_model_json(document, "m.json", WeightsEncoding::kDecimal),
        "\"encoding\":\"decimal\""));
  }

  TEST_CASE("refuses weights that are not finite") {
    ModelDocument document = mlp::tests::plain_document();
    Vector weights = Vector::Zero(15);
    weights[4] = std::numeric_limits<double>::infinity();
    document.model = mlp::Model(document.model.topology(), weights);

    CHECK_THROWS_WITH_AS(
        static_cast<void>(write_model_json(document, "m.json")),
        "m.json: $.weights.data[4]: must be a finite number; got Infinity",
        mlp::ModelError);
  }
}
