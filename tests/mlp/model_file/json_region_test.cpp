// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_region.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../mlp/model_json.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp::tests {

namespace {

const std::string kSets = to_json(set_document());
const std::string kIntervals = to_json(interval_document());

/// What the reader says after one replacement; the hash is looked at last.
std::string refusal(const std::string& text, const std::string& old,
                    const std::string& by) {
  return test::thrown_message<ModelError>(
      [&] { return from_json(replaced(text, old, by), "m.json"); });
}

}  // namespace

TEST_SUITE("mlp/model_file/json_region") {
  TEST_CASE("writes the sets of a model that Spark supports, and reads them") {
    const ModelDocument read = from_json(kSets, "m.json");

    CHECK(kSets.find("\"formatVersion\": 1") != kSets.npos);
    CHECK(kSets.find("\"predictionSet\": {\"coverage\":0.9,"
                     "\"leastProbability\":0.125}") != kSets.npos);
    CHECK(read.model.prediction_set()->coverage == 0.9);
    CHECK(read.model.prediction_set()->least_probability == 0.125);
    CHECK(read.selection->unseen.coverage->share == 0.875);
    CHECK(read.selection->unseen.coverage->mean_size == 1.5);
    CHECK(to_json(read) == kSets);
  }

  TEST_CASE("writes the intervals of each number, and reads them") {
    const ModelDocument read = from_json(kIntervals, "m.json");

    CHECK(kIntervals.find("\"predictionInterval\": {\"coverage\":0.9,"
                          "\"lower\":[-1.5,-2],\"upper\":[1,2]}") !=
          kIntervals.npos);
    CHECK(read.model.prediction_interval()->lower == Vector{{-1.5, -2.0}});
    CHECK(read.model.prediction_interval()->upper == Vector{{1.0, 2.0}});
    CHECK(to_json(read) == kIntervals);
  }

  TEST_CASE("refuses the intervals of classes and the sets of numbers") {
    CHECK(refusal(kSets,
                  "\"predictionSet\": {\"coverage\":0.9,"
                  "\"leastProbability\":0.125}",
                  "\"predictionInterval\": {\"coverage\":0.9,\"lower\":[],"
                  "\"upper\":[]}") ==
          "m.json: $.predictionInterval: must be left out for a classifier; "
          "got an object");
    CHECK(refusal(kIntervals,
                  "\"predictionInterval\": {\"coverage\":0.9,"
                  "\"lower\":[-1.5,-2],\"upper\":[1,2]}",
                  "\"predictionSet\": {\"coverage\":0.9,"
                  "\"leastProbability\":0.125}") ==
          "m.json: $.predictionSet: must be left out for a regressor; got an "
          "object");
  }

  TEST_CASE("refuses other numbers than the model has outputs") {
    CHECK(refusal(kIntervals, "\"lower\":[-1.5,-2]", "\"lower\":[-1.5]") ==
          "m.json: $.predictionInterval.lower: must be 2 numbers for layers "
          "[2, 3, 2]; got 1");
    CHECK(refusal(kIntervals, "\"upper\":[1,2]", "\"upper\":[1,2,3]") ==
          "m.json: $.predictionInterval.upper: must be 2 numbers for layers "
          "[2, 3, 2]; got 3");
  }

  TEST_CASE("refuses values that no fit gives") {
    CHECK(refusal(kIntervals, "\"coverage\":0.9", "\"coverage\":1") ==
          "m.json: $.predictionInterval.coverage: must be a number > 0 and < "
          "1; got 1");
    CHECK(refusal(kIntervals, "\"upper\":[1,2]", "\"upper\":[1,-2.5]") ==
          "m.json: $.predictionInterval.upper[1]: must be at least -2, the "
          "number of lower; got -2.5");
    CHECK(refusal(kSets, "\"coverage\":0.9", "\"coverage\":0") ==
          "m.json: $.predictionSet.coverage: must be a number > 0 and < 1; got "
          "0");
    CHECK(refusal(kSets, "\"leastProbability\":0.125",
                  "\"leastProbability\":1.5") ==
          "m.json: $.predictionSet.leastProbability: must be a number >= 0 and "
          "<= 1; got 1.5");
  }

  TEST_CASE("refuses members that are missing or of another type") {
    CHECK(
        refusal(kSets, ",\"leastProbability\":0.125", "") ==
        "m.json: $.predictionSet: the member \"leastProbability\" is missing; "
        "every model has it");
    CHECK(refusal(kIntervals, "\"lower\":[-1.5,-2]", "\"lower\":-1.5") ==
          "m.json: $.predictionInterval.lower: must be an array of numbers; "
          "got -1.5");
  }
}

}  // namespace mlp::tests
