// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../mlp/model_json.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp::tests {

using namespace datasets;

namespace {

const std::string kText = to_json(columns_document());

/// What the reader says after one replacement; the hash is looked at last.
std::string refusal(const std::string& old, const std::string& by) {
  return test::thrown_message<ModelError>(
      [&] { return from_json(replaced(kText, old, by), "m.json"); });
}

/// A document with other rules.
ModelDocument with_rules(ModelDocument document, InputRules rules) {
  document.model.set_input_rules(std::move(rules));
  return document;
}

/// What the reader says after one replacement in the document of extra features.
std::string refusal_of_extra(const std::string& old, const std::string& by) {
  const std::string text = to_json(extra_document());
  return test::thrown_message<ModelError>(
      [&] { return from_json(replaced(text, old, by), "m.json"); });
}

/// What the writer says about texts for missing values.
std::string refusal_of_texts(std::vector<std::string> texts) {
  return test::thrown_message<ModelError>([&] {
    return to_json(
        with_rules(plain_document(), {UnknownRule::kRefuse, std::move(texts)}));
  });
}

}  // namespace

TEST_SUITE("mlp/model_file/json_columns") {
  TEST_CASE("writes a model with columns as version 2 and reads it back") {
    const ModelDocument read = from_json(kText, "m.json");

    CHECK(kText.find("\"formatVersion\": 2") != kText.npos);
    CHECK(kText.find("\"sparkClass\": ") != kText.npos);
    CHECK(
        kText.find(
            "\"columns\":[{\"name\":\"x\",\"kind\":\"number\",\"missing\":1.5},"
            "{\"name\":\"color\",\"kind\":\"category\",\"categories\":"
            "[\"blue\",\"red\"],\"missing\":1}]") != kText.npos);
    CHECK(read.model.input_columns() ==
          columns_document().model.input_columns());
    CHECK(to_json(read) == kText);
  }

  TEST_CASE("reads back columns without names") {
    ModelDocument document = columns_document();
    auto columns = document.model.input_columns();
    for (auto& column : columns) column.name.clear();
    document.model.set_feature_names({});
    document.model.set_input_columns(columns);

    const std::string text = to_json(document);

    CHECK(text.find("\"name\"") == text.npos);
    CHECK(from_json(text, "m.json").model.input_columns() == columns);
  }

  TEST_CASE("writes extra features as version 3 and reads them back") {
    const std::string text = to_json(extra_document());
    const ModelDocument read = from_json(text, "m.json");

    CHECK(text.find("\"formatVersion\": 3") != text.npos);
    CHECK(text.find("sparkClass") == text.npos);
    CHECK(text.find("{\"kind\":\"number\",\"missing\":1.5,\"extra\":"
                    "\"missing\"},{\"kind\":\"category\",\"categories\":"
                    "[\"\",\"red\"],\"missing\":0,\"extra\":\"other\"}],"
                    "\"unknown\":\"other\"") != text.npos);
    CHECK(read.model.input_columns() == extra_document().model.input_columns());
    CHECK(to_json(read) == text);
  }

  TEST_CASE("refuses extra features that are not as they must be") {
    CHECK(refusal_of_extra("\"formatVersion\": 3", "\"formatVersion\": 2") ==
          "m.json: $.formatVersion: must be 3 for a model with input.unknown "
          "\"other\"; got 2");
    CHECK(refusal_of_extra("\"extra\":\"other\"", "\"extra\":\"rare\"") ==
          "m.json: $.input.columns[1].extra: must be \"missing\" or \"other\"; "
          "got \"rare\"");
    CHECK(refusal_of_extra("\"extra\":\"other\"", "\"extra\":\"missing\"") ==
          "m.json: $.input.columns[1].extra: must be \"other\" for a category");
    CHECK(refusal_of_extra("\"extra\":\"missing\"", "\"extra\":\"other\"") ==
          "m.json: $.input.columns[0].extra: must be \"missing\" for numbers");
    CHECK(refusal_of_extra("\"missing\":1.5,", "") ==
          "m.json: $.input.columns[0]: must have the member \"missing\" if "
          "extra is \"missing\"");
    CHECK(
        refusal_of_extra("\"missing\":0,", "\"missing\":3,") ==
        "m.json: $.input.columns[1].missing: must be the index of a category, "
        "from 0 to 2; got 3");
  }

  TEST_CASE("refuses columns in version 1") {
    CHECK(refusal("\"formatVersion\": 2", "\"formatVersion\": 1") ==
          "m.json: $.formatVersion: must be 2 for a model with input.columns; "
          "got 1");
  }

  TEST_CASE("refuses columns that are not as they must be") {
    CHECK(
        refusal("\"kind\":\"number\"", "\"kind\":\"text\"") ==
        "m.json: $.input.columns[0].kind: must be \"number\" or \"category\"; "
        "got \"text\"");
    CHECK(refusal("\"name\":\"x\",", "") ==
          "m.json: $.input.columns[0]: the member \"name\" is missing; every "
          "column has it if input has featureNames");
    CHECK(refusal("\"kind\":\"number\"",
                  "\"kind\":\"number\",\"categories\":[\"a\"]") ==
          "m.json: $.input.columns[0]: must have the member \"categories\" if "
          "its kind is \"category\", and only then");
    CHECK(refusal("\"missing\":1.5", "\"missing\":\"1.5\"") ==
          "m.json: $.input.columns[0].missing: must be a finite number; got "
          "\"1.5\"");
    CHECK(refusal("\"missing\":1.5", "\"codes\":1.5") ==
          "m.json: $.input.columns[0]: the member \"codes\" is unknown to "
          "format versions 1 to 3; expected only name, kind, categories, "
          "missing, extra");
    CHECK(refusal("[{\"name\":\"x\"", "[5,{\"name\":\"x\"") ==
          "m.json: $.input.columns[0]: must be an object; got 5");
  }

  TEST_CASE("refuses categories that are not sorted and a wrong index") {
    CHECK(
        refusal("[\"blue\",\"red\"]", "[\"red\",\"blue\"]") ==
        "m.json: $.input.columns[1].categories[1]: must be UTF-8 in the order "
        "of the bytes, each text once; got \"blue\"");
    CHECK(
        refusal("[\"blue\",\"red\"]", "[\"red\",\"red\"]") ==
        "m.json: $.input.columns[1].categories[1]: must be UTF-8 in the order "
        "of the bytes, each text once; got \"red\"");
    CHECK(
        refusal("\"missing\":1}", "\"missing\":2}") ==
        "m.json: $.input.columns[1].missing: must be the index of a category, "
        "from 0 to 1; got 2");
    CHECK(
        refusal("[\"blue\",\"red\"]", "[]") ==
        "m.json: $.input.columns: must be 3 features when encoded, for layers "
        "[3, 2, 2]; got 1");
  }

  TEST_CASE("refuses names of features that the columns do not give") {
    CHECK(refusal("\"color=red\"", "\"color=pink\"") ==
          "m.json: $.input.featureNames[2]: must be \"color=red\", as "
          "input.columns says; got \"color=pink\"");
  }

  TEST_CASE("refuses a label that is the name of a column") {
    ModelDocument document = columns_document();
    document.model.set_label_column("color");

    CHECK_THROWS_WITH_AS(
        to_json(document),
        "model: $.input.label: must not be the name of a column; got "
        "\"color\", which is $.input.columns[1].name",
        ModelError);
  }

  TEST_CASE("refuses to write a value for missing that is not finite") {
    ModelDocument document = columns_document();
    auto columns = document.model.input_columns();
    columns[0].missing_value = std::nan("");
    document.model.set_input_columns(columns);

    CHECK_THROWS_WITH_AS(
        to_json(document),
        "model: $.input.columns[0].missing: must be a finite number; got NaN",
        ModelError);
  }

  TEST_CASE("writes the rules for fields and reads them back") {
    const InputRules rules{UnknownRule::kIgnore, {"-999", "n/a \"x\""}};

    const std::string text = to_json(with_rules(columns_document(), rules));
    const ModelDocument read = from_json(text, "m.json");

    CHECK(text.find("\"missing\":1}],\"unknown\":\"ignore\",\"missingTexts\":"
                    "[\"-999\",\"n/a \\\"x\\\"\"]}") != text.npos);
    CHECK(read.model.input_rules() == rules);
    CHECK(to_json(read) == text);
  }

  TEST_CASE("writes no rules that are the defaults") {
    CHECK(kText.find("\"unknown\"") == kText.npos);
    CHECK(kText.find("missingTexts") == kText.npos);
    CHECK(from_json(kText, "m.json").model.input_rules() == InputRules());
  }

  TEST_CASE("writes a model with texts for missing values as version 2") {
    const std::string text =
        to_json(with_rules(plain_document(), {UnknownRule::kRefuse, {"-999"}}));
    const std::string first =
        replaced(text, "\"formatVersion\": 2", "\"formatVersion\": 1");

    CHECK(text.find("\"columns\"") == text.npos);
    CHECK(from_json(text, "m.json").model.input_rules().missing_texts ==
          std::vector<std::string>{"-999"});
    CHECK_THROWS_WITH_AS(from_json(first, "m.json"),
                         "m.json: $.formatVersion: must be 2 for a model with "
                         "input.missingTexts; got 1",
                         ModelError);
  }

  TEST_CASE("refuses a rule that is none") {
    const std::string text = to_json(
        with_rules(columns_document(), {UnknownRule::kIgnore, {"-999"}}));
    const auto refused = [&](const char* old, const char* by) {
      return test::thrown_message<ModelError>(
          [&] { return from_json(replaced(text, old, by), "m.json"); });
    };

    CHECK(refused("\"ignore\"", "\"drop\"") ==
          "m.json: $.input.unknown: must be \"refuse\", \"ignore\" or "
          "\"other\"; got \"drop\"");
    CHECK(refused("\"ignore\"", "true") ==
          "m.json: $.input.unknown: must be a string; got true");
    CHECK(refused("[\"-999\"]", "[]") ==
          "m.json: $.input.missingTexts: must be at least 1 text, or be left "
          "out; got none");
    CHECK(refused("[\"-999\"]", "[-999]") ==
          "m.json: $.input.missingTexts[0]: must be a string; got -999");
  }

  TEST_CASE("refuses texts for missing values that are not as they must be") {
    const std::string must =
        ": must be UTF-8 and not empty, each text once; got ";

    CHECK(refusal_of_texts({"-1", ""}) ==
          "model: $.input.missingTexts[1]" + must + "\"\"");
    CHECK(refusal_of_texts({"-1", "-9", "-1"}) ==
          "model: $.input.missingTexts[2]" + must + "\"-1\"");
    CHECK(refusal_of_texts({"\xff"}).find("model: $.input.missingTexts[0]" +
                                          must) == 0);
  }
}

}  // namespace mlp::tests
