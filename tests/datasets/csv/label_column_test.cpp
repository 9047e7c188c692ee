// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/label_column.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../core/error.hpp"

using mlp::DataError;
using mlp::datasets::ChosenLabel;
using mlp::datasets::CsvOptions;
using mlp::datasets::LabelRule;
using namespace mlp::datasets::detail;

namespace {

CsvColumns make_columns(bool has_header) {
  CsvColumns columns({"a", "b", "kind"}, "f.csv");
  columns.set_has_header(has_header);
  return columns;
}

ColumnRoles no_roles() {
  ColumnRoles roles;
  roles.is_left_out.assign(3, false);
  return roles;
}

}  // namespace

TEST_SUITE("datasets/csv/label_column") {
  TEST_CASE("takes the last column that is free") {
    const CsvColumns columns = make_columns(true);
    const CsvOptions options;
    ColumnRoles roles = no_roles();
    roles.is_left_out[2] = true;

    const LabelColumn label(columns, options, roles, 0);

    CHECK(label.find(false) == ChosenLabel{1, "b", true});
    CHECK(label.find_in_data() == 1);
  }

  TEST_CASE("finds a name in the first row and no number") {
    const CsvColumns columns = make_columns(false);
    const ColumnRoles roles = no_roles();
    CsvOptions options;
    options.label = "kind";
    CHECK(LabelColumn(columns, options, roles, 0).find_in_first_row() == 2);

    options.label = "2";
    CHECK(LabelColumn(columns, options, roles, 0).find_in_first_row() == -1);
    CHECK(LabelColumn(columns, options, roles, 0).find_in_data() == 2);
  }

  TEST_CASE("takes no number of the first row for a known name") {
    const CsvColumns columns({"5", "2"}, "f.csv");
    const ColumnRoles roles;
    CsvOptions options;
    options.usual_label = "2";

    CHECK(LabelColumn(columns, options, roles, 0).find_in_first_row() == -1);
  }

  TEST_CASE("says that data without labels have none") {
    const CsvColumns columns = make_columns(true);
    const ColumnRoles roles = no_roles();
    CsvOptions options;
    options.feature_names = {"a", "b", "kind"};

    CHECK_THROWS_WITH_AS(
        static_cast<void>(LabelColumn(columns, options, roles, 3).find(true)),
        "f.csv:1:1: there is no label column, because the last column, 'kind', "
        "is a feature; expected a column with the labels, named label, class, "
        "target or species, or chosen by its name",
        DataError);
    options.label_rule = LabelRule::kOptional;
    CHECK_FALSE(LabelColumn(columns, options, roles, 3).find(true).has_value());
  }
}
