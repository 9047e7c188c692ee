// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/feature_slots.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../../core/error.hpp"

using mlp::DataError;
using mlp::Index;
using namespace mlp::datasets::detail;

namespace {

CsvColumns make_columns() {
  CsvColumns columns({"id", "a", "b", "kind"}, "f.csv");
  columns.set_has_header(true);
  return columns;
}

/// The last column is the label.
ColumnRoles make_roles() {
  ColumnRoles roles;
  roles.label = 3;
  roles.is_left_out.assign(4, false);
  return roles;
}

using Slots = std::vector<Index>;

}  // namespace

TEST_SUITE("datasets/csv/layout/feature_slots") {
  TEST_CASE("takes all columns without another role") {
    const CsvColumns columns = make_columns();
    ColumnRoles roles = make_roles();
    roles.is_left_out[0] = true;
    FeatureSlots slots(columns, roles);

    slots.choose_by_position(0);

    CHECK(slots.size() == 2);
    CHECK(slots.take() == Slots{kIgnoredSlot, 0, 1, kLabelSlot});
  }

  TEST_CASE("takes listed columns in their order") {
    const CsvColumns columns = make_columns();
    ColumnRoles roles = make_roles();
    roles.features = {2, 1};
    FeatureSlots slots(columns, roles);

    slots.choose_by_position(2);

    CHECK(slots.take() == Slots{kIgnoredSlot, 1, 0, kLabelSlot});
  }

  TEST_CASE("refuses listed columns in another order without a header") {
    CsvColumns columns = make_columns();
    columns.set_has_header(false);
    ColumnRoles roles = make_roles();
    roles.features = {2, 1};
    FeatureSlots training(columns, roles);
    CHECK_THROWS_WITH_AS(
        training.choose_by_position(0),
        "f.csv:1:1: features must be listed in the order of the columns, "
        "because "
        "the file has no header by which a model could find them; got column 1 "
        "behind column 2",
        DataError);

    FeatureSlots scoring(columns, roles);
    scoring.choose_by_position(2);
    CHECK(scoring.take() == Slots{kIgnoredSlot, 1, 0, kLabelSlot});
  }

  TEST_CASE("refuses a list of other features than the expected ones") {
    const CsvColumns columns = make_columns();
    ColumnRoles roles = make_roles();
    roles.features = {0, 1};
    FeatureSlots other(columns, roles);
    CHECK_THROWS_WITH_AS(other.choose_by_name({"a", "b"}),
                         "f.csv:1:1: column 'id' is listed as a feature, but "
                         "the expected features are 'a', 'b'",
                         DataError);

    roles.features = {1};
    FeatureSlots fewer(columns, roles);
    CHECK_THROWS_WITH_AS(fewer.choose_by_name({"a", "b"}),
                         "f.csv:1:1: too few features are listed; expected "
                         "'a', 'b', got 1 of them",
                         DataError);
  }

  TEST_CASE("says that the default label may be a feature") {
    const CsvColumns columns = make_columns();
    ColumnRoles roles = make_roles();
    roles.has_default_label = true;
    FeatureSlots slots(columns, roles);

    CHECK_THROWS_WITH_AS(slots.choose_by_position(4),
                         "f.csv:1:1: wrong number of features; expected 4, got "
                         "3 and the label; if all columns are features, there "
                         "is no label column",
                         DataError);
  }
}
