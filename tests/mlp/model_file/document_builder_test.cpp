// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/document_builder.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"

using mlp::ModelError;
using mlp::detail::DocumentBuilder;
using mlp::detail::ParsedModel;

namespace {

/// The values of the smallest file: one feature, two classes.
ParsedModel smallest() {
  ParsedModel parsed;
  parsed.root = nlohmann::json{{"format", "mlp-model"},
                               {"formatVersion", 1},
                               {"producer", "test"},
                               {"uid", "mlpc_0123456789ab"},
                               {"sparkClass", mlp::kModelSparkClass},
                               {"params", nlohmann::json::object()},
                               {"layers", {1, 2}},
                               {"activation", "sigmoid"},
                               {"input", nlohmann::json::object()},
                               {"training",
                                {{"objectiveHistory", nlohmann::json::array()},
                                 {"totalIterations", 0},
                                 {"evaluations", 0},
                                 {"convergenceReason", "none"},
                                 {"rows", 0}}},
                               {"selfTest", nlohmann::json::array()},
                               {"sha256", std::string(64, '0')}};
  parsed.root["weights"] = {{"layout", "spark-flat"},
                            {"count", 4},
                            {"encoding", "decimal"},
                            {"data", {1, 2, 3, 4}}};
  return parsed;
}

}  // namespace

TEST_SUITE("mlp/model_file/document_builder") {
  TEST_CASE("builds a document from the values of a file") {
    const auto document = DocumentBuilder(smallest(), "model.json").build();

    CHECK(document.model.weights() == mlp::Vector{{1.0, 2.0, 3.0, 4.0}});
    CHECK(document.model.layers() == std::vector<mlp::Index>{1, 2});
    CHECK(document.identity.uid == "mlpc_0123456789ab");
  }

  TEST_CASE("refuses a value and names its path") {
    ParsedModel parsed = smallest();
    parsed.root["weights"]["count"] = 5;

    CHECK_THROWS_WITH_AS(
        DocumentBuilder(std::move(parsed), "model.json").build(),
        "model.json: $.weights.count: must be 4 for layers [1, 2]; got 5",
        ModelError);
  }
}
