// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_encoding.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../mlp/model_json.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp::tests {

namespace {

const std::string kText = to_json(encoding_document());

/// What the reader says after one replacement; the hash is looked at last.
std::string refusal(const std::string& old, const std::string& by) {
  return test::thrown_message<ModelError>(
      [&] { return from_json(replaced(kText, old, by), "m.json"); });
}

}  // namespace

TEST_SUITE("mlp/model_file/json_encoding") {
  TEST_CASE("writes a model with quantiles as version 3 and reads it back") {
    const ModelDocument read = from_json(kText, "m.json");

    CHECK(kText.find("\"formatVersion\": 3") != kText.npos);
    CHECK(kText.find("\"sparkClass\"") == kText.npos);
    CHECK(kText.find("\"layers\": [6,2,2]") != kText.npos);
    CHECK(kText.find("\"featureNames\":[\"x\",\"y\"]") != kText.npos);
    CHECK(
        kText.find("\"numericEncoding\":\"quantile:5\",\"bins\":[{\"feature\":"
                   "1,\"edges\":[-1,0,0.5,2,4]}]") != kText.npos);
    CHECK(read.params.layers == std::vector<Index>{2, 2, 2});
    CHECK(read.params.numeric_encoding == NumericEncoding{5});
    CHECK(read.model.encoder()->edges() ==
          encoding_document().model.encoder()->edges());
    CHECK(verify_self_test(read).is_passed());
    CHECK(to_json(read) == kText);
  }

  TEST_CASE("reads a model whose features are all linear") {
    ModelDocument document = plain_document();
    document.model.set_encoder({9, {{}, {}}});

    const std::string text = to_json(document);

    CHECK(text.find("\"numericEncoding\":\"quantile:9\",\"bins\":[]") !=
          text.npos);
    CHECK(to_json(from_json(text, "m.json")) == text);
  }

  TEST_CASE("refuses quantiles in other versions") {
    for (const std::string version : {"1", "2"}) {
      CHECK(refusal("\"formatVersion\": 3", "\"formatVersion\": " + version) ==
            "m.json: $.formatVersion: must be 3 for a model with "
            "input.numericEncoding; got " +
                version);
    }
  }

  TEST_CASE("refuses one of the two members without the other") {
    const std::string sentence =
        "m.json: $.input: must have both numericEncoding and bins, or none; "
        "got one of them";

    CHECK(refusal("\"numericEncoding\":\"quantile:5\",", "") == sentence);
    CHECK(refusal(",\"bins\":[{\"feature\":1,\"edges\":[-1,0,0.5,2,4]}]", "") ==
          sentence);
  }

  TEST_CASE("refuses a text that is not as it is written") {
    for (const std::string text : {"linear", "quantile", "quantile:1"}) {
      CHECK(refusal("quantile:5", text) ==
            "m.json: $.input.numericEncoding: must be quantile:BINS with BINS "
            "an integer >= 2 and <= 256; got \"" +
                text + '"');
    }
  }

  TEST_CASE("refuses edges that are not as they must be") {
    const std::string path = "m.json: $.input.bins[0].edges";

    CHECK(refusal("[-1,0,0.5,2,4]", "[-1,0,0.5,0.5,4]") ==
          path + "[3]: must be increasing; got 0.5 after 0.5");
    CHECK(refusal("[-1,0,0.5,2,4]", "[-1,0,0.5,2,1e400]") ==
          path + "[4]: must be a finite number; got 1e400");
    CHECK(refusal("[-1,0,0.5,2,4]", "[-1e308,1e308,1.1e308,1.2e308,1.3e308]") ==
          path +
              "[1]: must be less than 1.8e308 apart; got 1e+308 after "
              "-1e+308");
    CHECK(refusal("\"edges\":[-1,0,0.5,2,4]", "\"edges\":[7]") ==
          path + ": must be 2 to 6 numbers; got 1");
    CHECK(refusal("\"quantile:5\"", "\"quantile:3\"") ==
          path + ": must be 2 to 4 numbers; got 5");
  }

  TEST_CASE("refuses bins of features that the table does not have") {
    CHECK(refusal("\"feature\":1", "\"feature\":2") ==
          "m.json: $.input.bins[0].feature: must be the index of a feature, "
          "from 0 to 1, each once in order; got 2");
    CHECK(refusal("\"feature\":1", "\"feature\":-1") ==
          "m.json: $.input.bins[0].feature: must be the index of a feature, "
          "from 0 to 1, each once in order; got -1");
    CHECK(refusal("\"bins\":[", "\"bins\":[{\"feature\":1,\"edges\":[0,1]},") ==
          "m.json: $.input.bins[0].feature: must be the index of a feature, "
          "from 0 to 0, each once in order; got 1");
    CHECK(refusal("\"edges\":[-1,0,0.5,2,4]", "\"edges\":[0,1,2,3,4,5,6]") ==
          "m.json: $.input.bins: must be at most 5 bins for layers [6, 2, 2], "
          "which begin with the number of features and bins; got 6");
  }
}

}  // namespace mlp::tests
