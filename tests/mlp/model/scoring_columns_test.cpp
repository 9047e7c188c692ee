// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/scoring_columns.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace mlp {

namespace {

using Columns = std::vector<datasets::InputColumn>;

/// A model of two features without a scaler.
Model two_features() { return {Topology({2, 2}), Vector::Zero(6)}; }

}  // namespace

TEST_SUITE("mlp/model/scoring_columns") {
  TEST_CASE("a model that subtracts means has them for missing values") {
    Model model = two_features();
    model.set_feature_names({"a", "b"});
    model.set_scaler({Vector{{0.0, 2.5}}, Vector{{1.0, 3.0}}});

    const Columns columns = scoring_columns(model);

    REQUIRE(columns.size() == 2);
    CHECK(columns[0].name == "a");
    CHECK(columns[0].missing_value == 0.0);
    CHECK(columns[1].name == "b");
    CHECK(columns[1].missing_value == 2.5);
    CHECK(columns[1].kind == datasets::ColumnKind::kNumber);
    CHECK(columns[1].num_features() == 1);
  }

  TEST_CASE("a model without names of features has columns without names") {
    Model model = two_features();
    model.set_scaler({Vector{{1.0, 2.0}}, Vector{{1.0, 1.0}}});

    CHECK(scoring_columns(model)[1].name.empty());
  }

  TEST_CASE("a model without means has no value for missing ones") {
    Model model = two_features();
    CHECK(scoring_columns(model).empty());

    // --scale 255 only divides.
    model.set_scaler({Vector::Zero(2), Vector::Constant(2, 255.0)});
    CHECK(scoring_columns(model).empty());
  }

  TEST_CASE("columns of the training stay as they are") {
    Model model = two_features();
    const Columns given = {{"color",
                            datasets::ColumnKind::kCategory,
                            {"blue", "red"},
                            {},
                            datasets::ExtraFeature::kNone}};
    model.set_input_columns(given);
    model.set_scaler({Vector{{1.0, 2.0}}, Vector{{1.0, 1.0}}});

    CHECK(scoring_columns(model) == given);
  }
}

}  // namespace mlp
