// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/label_column.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../../core/error.hpp"

namespace mlp::datasets {

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

/// Checks that a known label is refused with a sentence, but only if there must be a
/// label and the options do not give another.
void refuses(bool has_header, const KnownLabel& known,
             const std::string& sentence) {
  const CsvColumns columns = make_columns(has_header);
  const ColumnRoles roles = no_roles();
  CsvOptions options;
  options.known_label = known;
  CHECK_THROWS_WITH_AS(LabelColumn(columns, options, roles, 0).find(false),
                       ("f.csv:1:1: " + sentence).c_str(), LabelError);

  options.label_rule = LabelRule::kOptional;
  CHECK_FALSE(LabelColumn(columns, options, roles, 0).find(false));
  options.label = "0";
  CHECK(LabelColumn(columns, options, roles, 0).find(false));
}

}  // namespace

TEST_SUITE("datasets/csv/layout/label_column") {
  TEST_CASE("takes the last column that is free") {
    const CsvColumns columns = make_columns(true);
    const CsvOptions options;
    ColumnRoles roles = no_roles();
    roles.is_left_out[2] = true;

    const LabelColumn label(columns, options, roles, 0);

    CHECK(label.find(false) == ChosenLabel{1, "b", true});
    CHECK(label.find_in_data() == 1);
  }

  TEST_CASE("takes the last column that is no element of a vector") {
    const CsvColumns columns = make_columns(true);
    const ColumnRoles roles = no_roles();
    CsvOptions options;
    options.vectors = VectorColumns({{1, 2}});

    CHECK(LabelColumn(columns, options, roles, 0).find(false) ==
          ChosenLabel{0, "a", true});
    options.vectors = VectorColumns({{0, 3}});
    CHECK_FALSE(LabelColumn(columns, options, roles, 0).find(false));
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
    options.known_label = KnownLabel{"2", -1};

    CHECK(LabelColumn(columns, options, roles, 0).find_in_first_row() == -1);
  }

  TEST_CASE("finds the label of the training by its name or its index") {
    const ColumnRoles roles = no_roles();
    const auto find = [&](bool has_header, const KnownLabel& known) {
      const CsvColumns columns = make_columns(has_header);
      CsvOptions options;
      options.known_label = known;
      return LabelColumn(columns, options, roles, 0).find(false);
    };

    CHECK(find(true, {"a", 2}) == ChosenLabel{0, "a", false});
    CHECK(find(true, {"", 1}) == ChosenLabel{1, "b", true});
    CHECK(find(false, {"a", 2}) == ChosenLabel{2, "", false});
  }

  TEST_CASE("refuses a known label whose name occurs twice, at any index") {
    CsvColumns columns({"y", "x", "y"}, "f.csv");
    columns.set_has_header(true);
    const ColumnRoles roles = no_roles();
    for (Index index = 0; index < 3; ++index) {
      CsvOptions options;
      options.known_label = KnownLabel{"y", index};
      CHECK_THROWS_WITH_AS(
          LabelColumn(columns, options, roles, 0).find(false),
          "f.csv:1:1: more than one column is named 'y'; expected one label "
          "column; name it by its 0-based index",
          DataError);
    }
  }

  TEST_CASE("refuses a file in which nothing is the label of the training") {
    refuses(true, {"kin", 0},
            "expected the label column of the training, 'kin', got the columns "
            "'a', 'b', 'kind'; if the label has another name, such as 'kind', "
            "name it");
    refuses(false, {"kind", -1},
            "there is no header, so nothing tells which column is 'kind', the "
            "label of the training; name it by its index");
    refuses(false, {"", 3},
            "expected the label in column 3, as in the training, got 3 "
            "columns; if it is another column, name it");
    refuses(true, {},
            "nothing tells which column is the label, because the model does "
            "not know that of its training; name it");
  }

  TEST_CASE("says that data without labels have none") {
    const CsvColumns columns = make_columns(true);
    const ColumnRoles roles = no_roles();
    CsvOptions options;
    options.feature_names = {"a", "b", "kind"};

    CHECK_THROWS_WITH_AS(
        LabelColumn(columns, options, roles, 3).find(true),
        "f.csv:1:1: there is no label column, because the last column, 'kind', "
        "is a feature; expected a column with the labels, named label, class, "
        "target or species, or chosen by its name",
        DataError);
    options.label_rule = LabelRule::kOptional;
    CHECK_FALSE(LabelColumn(columns, options, roles, 3).find(true).has_value());
  }
}

}  // namespace mlp::datasets
