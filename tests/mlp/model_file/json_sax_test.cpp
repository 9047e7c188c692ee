// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_sax.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../../../core/error.hpp"

using mlp::detail::ModelJsonSax;
using mlp::detail::ParsedModel;

namespace {

/// Reads JSON, of which members may be missing at its end, and returns what was
/// taken and the refusal.
struct Reading {
  ParsedModel parsed;
  std::string refusal;
};

Reading read(const std::string& json) {
  Reading reading;
  ModelJsonSax sax(json, "m.json", reading.parsed);
  try {
    nlohmann::json::sax_parse(json.begin(), json.end(), &sax);
  } catch (const mlp::ModelError& error) {
    reading.refusal = error.what();
  }
  return reading;
}

std::string refusal(const std::string& json) { return read(json).refusal; }

}  // namespace

TEST_SUITE("mlp/model_file/json_sax") {
  TEST_CASE("reads numbers from their text") {
    const auto numbers =
        read(R"({"thresholds":[-0.0,1e-400,5e-324,9007199254740993,)"
             R"(18446744073709551615,123456789012345678901234567890,1E+2]})")
            .parsed.root.at("thresholds")
            .get<std::vector<double>>();

    CHECK(std::signbit(numbers[0]));
    CHECK(numbers[1] == 0.0);
    CHECK(numbers[2] == std::numeric_limits<double>::denorm_min());
    CHECK(numbers[3] == 9007199254740992.0);  // a tie goes to the even one
    CHECK(numbers[4] == 18446744073709551616.0);
    CHECK(numbers[5] == 123456789012345678901234567890.0);
    CHECK(numbers[6] == 100.0);
  }

  TEST_CASE("reads a seed of 64 bits to the last one") {
    CHECK(read(R"({"params":{"seed":-9223372036854775808}})")
              .parsed.params.seed == std::numeric_limits<std::int64_t>::min());
    CHECK(
        read(R"({"params":{"seed":9223372036854775807}})").parsed.params.seed ==
        std::numeric_limits<std::int64_t>::max());
  }

  TEST_CASE("takes a number with another locale's decimal point") {
    ParsedModel parsed;
    ModelJsonSax sax("", "m.json", parsed);
    std::string key = "thresholds";

    sax.start_object(1);
    sax.key(key);
    sax.start_array(2);
    sax.number_float(0.0, "1,5e-1");
    sax.number_float(0.0, "2,5");

    CHECK(parsed.root.at("thresholds") == std::vector<double>{0.15, 2.5});
  }

  TEST_CASE("reads an objective history with numbers that are not finite") {
    const auto history =
        read(
            R"({"training":{"objectiveHistory":[1,"Infinity","-Infinity","NaN"]}})")
            .parsed.root.at("training")
            .at("objectiveHistory")
            .get<std::vector<double>>();

    REQUIRE(history.size() == 4);
    CHECK(history[1] == std::numeric_limits<double>::infinity());
    CHECK(history[2] == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(history[3]));
  }

  TEST_CASE("refuses numbers of the wrong kind or range") {
    CHECK(refusal(R"({"layers":[4,5.0]})") ==
          "m.json: $.layers[1]: must be an integer; got 5.0");
    CHECK(refusal(R"({"layers":[1e2]})") ==
          "m.json: $.layers[0]: must be an integer; got 1e2");
    CHECK(refusal(R"({"layers":[9223372036854775808]})") ==
          "m.json: $.layers[0]: must be an integer; got 9223372036854775808");
    CHECK(refusal(R"({"thresholds":[1,1e400]})") ==
          "m.json: $.thresholds[1]: must be a finite number; got 1e400");
    CHECK(refusal(R"({"params":{"maxIter":1.5}})") ==
          "m.json: $.params.maxIter: must be an integer >= 0; got 1.5");
    CHECK(refusal(R"({"params":{"tol":1e999}})") ==
          "m.json: $.params.tol: must be a number >= 0, and <= 1 with solver "
          "gd; got 1e999");
  }

  TEST_CASE("refuses values of another type and says which is expected") {
    CHECK(refusal("42") == "m.json: $: must be an object; got 42");
    CHECK(refusal("[]") == "m.json: $: must be an object; got an array");
    CHECK(refusal("null") == "m.json: $: must be an object; got null");
    CHECK(refusal("\"x\"") == "m.json: $: must be an object; got \"x\"");
    CHECK(refusal(R"({"format":true})") ==
          "m.json: $.format: must be a string; got true");
    CHECK(refusal(R"({"format":{}})") ==
          "m.json: $.format: must be a string; got an object");
    CHECK(refusal(R"({"layers":"4,5,3"})") ==
          "m.json: $.layers: must be an array of integers; got \"4,5,3\"");
    CHECK(refusal(R"({"params":[]})") ==
          "m.json: $.params: must be an object; got an array");
    CHECK(refusal(R"({"selfTest":[[]]})") ==
          "m.json: $.selfTest[0]: must be an object; got an array");
    CHECK(refusal(R"({"weights":{"data":1}})") ==
          "m.json: $.weights.data: must be an array of numbers, or base64 in a "
          "string; got 1");
  }

  TEST_CASE("refuses items of another type and counts them") {
    CHECK(refusal(R"({"labels":["a",1]})") ==
          "m.json: $.labels[1]: must be a string; got 1");
    CHECK(refusal(R"({"thresholds":[0.5,null]})") ==
          "m.json: $.thresholds[1]: must be a finite number; got null");
    CHECK(refusal(R"({"thresholds":["NaN"]})") ==
          "m.json: $.thresholds[0]: must be a finite number; got \"NaN\"");
    CHECK(refusal(R"({"selfTest":[3]})") ==
          "m.json: $.selfTest[0]: must be an object; got 3");
    CHECK(refusal(R"({"training":{"objectiveHistory":[1,"nan"]}})") ==
          "m.json: $.training.objectiveHistory[1]: must be a number, \"NaN\", "
          "\"Infinity\" or \"-Infinity\"; got \"nan\"");
  }

  TEST_CASE("refuses hyper-parameters of the wrong JSON type") {
    CHECK(refusal(R"({"params":{"tol":"1e-6"}})") ==
          "m.json: $.params.tol: must be a number >= 0, and <= 1 with solver "
          "gd; got \"1e-6\"");
    CHECK(refusal(R"({"params":{"solver":1}})") ==
          "m.json: $.params.solver: must be l-bfgs, gd, sgd, adam or adamw; "
          "got 1");
    CHECK(refusal(R"({"params":{"solver":"rmsprop"}})") ==
          "m.json: $.params.solver: must be l-bfgs, gd, sgd, adam or adamw; "
          "got \"rmsprop\"");
  }

  TEST_CASE("reads hyper-parameters that are switches, names and lists") {
    const auto parsed =
        read(R"({"params":{"solver":"sgd","momentum":0.5,"nesterov":true,)"
             R"("labelSmoothing":1,"schedule":"cosine","classWeights":[1,2],)"
             R"("init":"he-normal","freeze":[2]}})")
            .parsed;
    const mlp::Params& params = parsed.params;

    CHECK(params.momentum == 0.5);
    CHECK(params.nesterov);
    CHECK(params.label_smoothing == 1.0);
    CHECK(params.schedule.shape == mlp::optim::StepSchedule::Shape::kCosine);
    CHECK(parsed.root.at("params").at("classWeights") ==
          std::vector<double>{1, 2});
    CHECK(params.init == mlp::Initialization::kHeNormal);
    CHECK(parsed.root.at("params").at("freeze") == std::vector<mlp::Index>{2});
  }

  TEST_CASE("refuses a switch, a name or a list of another type") {
    CHECK(refusal(R"({"params":{"nesterov":1}})") ==
          "m.json: $.params.nesterov: must be true or false; got 1");
    CHECK(refusal(R"({"params":{"nesterov":"true"}})") ==
          "m.json: $.params.nesterov: must be true or false; got \"true\"");
    CHECK(refusal(R"({"params":{"momentum":true}})") ==
          "m.json: $.params.momentum: must be a number >= 0 and < 1; got true");
    CHECK(refusal(R"({"params":{"classWeights":1}})") ==
          "m.json: $.params.classWeights: must be an array of numbers; got 1");
    CHECK(refusal(R"({"params":{"freeze":["a"]}})") ==
          "m.json: $.params.freeze[0]: must be an integer; got \"a\"");
  }

  TEST_CASE("refuses members that no version knows") {
    CHECK(refusal(R"({"weights":{"url":"http://x"}})") ==
          "m.json: $.weights: the member \"url\" is unknown to format "
          "versions 1 to 3; expected only layout, count, encoding, data");
    std::string expected;
    for (const auto& member : mlp::detail::kParamMembers) {
      expected.append(expected.empty() ? "" : ", ").append(member.name);
    }
    CHECK(refusal(R"({"params":{"layers":[1]}})") ==
          "m.json: $.params: the member \"layers\" is unknown to format "
          "versions 1 to 3; expected only " +
              expected);
  }

  TEST_CASE("refuses a member that stands twice even if escaped") {
    CHECK(refusal(R"({"uid":"a","\u0075id":"b"})") ==
          "m.json: $: the member \"uid\" occurs twice; expected once: remove "
          "one of them");
    CHECK(refusal(R"({"params":{"tol":1,"tol":1}})") ==
          "m.json: $.params: the member \"tol\" occurs twice; expected once: "
          "remove one of them");
  }

  TEST_CASE("refuses an object that lacks a member") {
    CHECK(refusal("{}") ==
          "m.json: $: the member \"format\" is missing; every model has it");
    CHECK(refusal(R"({"selfTest":[{"features":[],"rawPrediction":[],)"
                  R"("probability":[]}]})") ==
          "m.json: $.selfTest[0]: the member \"prediction\" is missing; every "
          "model has it");
  }

  TEST_CASE("refuses deep nesting where it starts") {
    CHECK(refusal(std::string(1'000'000, '[')) ==
          "m.json: $: must be an object; got an array");
    CHECK(refusal("{\"layers\":" + std::string(1'000'000, '[')) ==
          "m.json: $.layers[0]: must be an integer; got an array");
  }

  TEST_CASE("gives line and column of malformed text") {
    CHECK(
        refusal("{\n  \"layers\": [1,,2]\n}") ==
        "m.json:2:16: the JSON text is malformed at ','; write the file again");
    CHECK(refusal("{\n}\n}") ==
          "m.json: $: the member \"format\" is missing; every model has it");
    CHECK(
        refusal("{\"uid\":\"\xC3(\"}") ==
        "m.json:1:10: the JSON text is malformed at '('; write the file again");
    CHECK(refusal("{\"uid\":\"\x01\"}") ==
          "m.json:1:9: the JSON text is malformed at byte 0x01; write the file "
          "again");
    CHECK(refusal("{\"uid\":\"\\ud800\"}") ==
          "m.json:1:15: the JSON text is malformed at '\"'; write the file "
          "again");
  }

  TEST_CASE("says where text that ends too early ends") {
    for (const char* text :
         {"{\n\"layers\": [1,", "{\n\"layers\": [1,\n", "{\n\"uid\": \"abc"}) {
      CHECK(refusal(text).find(": the JSON text ends too early; the file is "
                               "incomplete: write it again") !=
            std::string::npos);
    }
    CHECK(refusal("") ==
          "m.json:1:1: the JSON text ends too early; the file is incomplete: "
          "write it again");
    CHECK(refusal("{\n\"layers\": [1,") ==
          "m.json:2:14: the JSON text ends too early; the file is incomplete: "
          "write it again");
  }
}
