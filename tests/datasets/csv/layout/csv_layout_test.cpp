// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/csv_layout.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../cpu_seconds.hpp"
#include "../../../thrown_message.hpp"
#include "found_layout.hpp"

namespace mlp::datasets::detail {

namespace {

using namespace datasets::testing;
using Slots = std::vector<Index>;

/// The message of the error of finding the layout; "" if there is none.
std::string refusal(const std::string& text, const CsvOptions& options = {}) {
  return test::thrown_message<DataError>([&] { return find(text, options); });
}

}  // namespace

TEST_SUITE("datasets/csv/layout/csv_layout") {
  TEST_CASE("takes the last column as the label of a file without a header") {
    const CsvLayout layout = find("5.1,3.5,setosa\n");

    CHECK_FALSE(layout.has_header);
    CHECK(layout.label == ChosenLabel{2, "", true});
    CHECK(layout.slots == Slots{0, 1, -1});
    CHECK(layout.num_features == 2);
  }

  TEST_CASE("takes a column with a usual name before the last one") {
    const CsvLayout layout = find("a,Target,b\n1,2,3\n");

    CHECK(layout.has_header);
    CHECK(layout.label == ChosenLabel{1, "Target", true});
    CHECK(layout.slots == Slots{0, -1, 1});
  }

  TEST_CASE("knows a header of numbers by the usual name in it") {
    CHECK(find("0,1,target\n5,6,0\n").has_header);
    CHECK_FALSE(find("0,1,setosa\n").has_header);
  }

  TEST_CASE("takes the label of the training and no other column for it") {
    CsvOptions options;
    options.known_label = {"kind", 2};

    CHECK(find("kind,class,x\n", options).label ==
          ChosenLabel{0, "kind", false});
    CHECK_THROWS_WITH_AS(
        find("a,class,x\n", options),
        "f.csv:1:1: expected the label column of the training, 'kind', got the "
        "columns 'a', 'class', 'x'; if the label has another name, name it",
        LabelError);
  }

  TEST_CASE("tells features of one name apart by their order") {
    const CsvOptions twice = optional(0, {"a", "b", "a"});
    CHECK(find("a,a,b\n", twice).slots == Slots{0, 2, 1});
    CHECK(find("b,x,a,c,a\n", twice).slots == Slots{1, -2, 0, -2, 2});

    CHECK(refusal("a,b\n", twice) ==
          "f.csv:1:1: 1 column is named 'a'; expected 2, "
          "because only their order "
          "tells them apart");
    CHECK(refusal("a,a,a,b\n", twice) ==
          "f.csv:1:1: 3 columns are named 'a'; expected 2, because only their "
          "order tells them apart");
  }

  TEST_CASE("finds a feature beside a column of its name with another role") {
    CsvOptions options = optional(0, {"a"});
    options.ignored = {"0"};

    CHECK(find("a,a,b\n", options).slots == Slots{-2, 0, -2});
  }

  TEST_CASE("finds the label by name and by index and from the end") {
    CHECK(find("a,b,c\n", label("b")).label == ChosenLabel{1, "b", false});
    CHECK(find("a,b,c\n", label("0")).label == ChosenLabel{0, "a", false});
    CHECK(find("a,b,c\n", label("-2")).label == ChosenLabel{1, "b", false});
    CHECK(find("x,1,2\n", label("0")).label == ChosenLabel{0, "", false});
  }

  TEST_CASE("lets a name win over an index and needs a header for it") {
    CHECK(find("a,b,0\n", label("0")).label == ChosenLabel{2, "0", false});
    CHECK(find("7,8,0\n", label("0")).label == ChosenLabel{0, "", false});
    CHECK(find("0,1,kind\n", label("kind")).has_header);
  }

  TEST_CASE("chooses features by name and ignores the other columns") {
    const CsvLayout layout = find("id,b,species,a\n", optional(0, {"a", "b"}));

    CHECK(layout.slots == Slots{-2, 1, -1, 0});
    CHECK(layout.num_features == 2);
  }

  TEST_CASE("finds 100,000 features by name without comparing all with all") {
    constexpr Index kNumFeatures = 100'000;
    constexpr double kMaxSeconds = 2.0;  // all with all takes over 10
    CsvOptions options = optional(kNumFeatures);
    std::string text = "label";
    for (Index i = kNumFeatures; i-- > 0;) {
      options.feature_names.push_back("feature " + std::to_string(i));
      text += ",feature " + std::to_string(kNumFeatures - 1 - i);
    }
    CsvLayout layout;

    const double seconds =
        mlp::test::cpu_seconds([&] { layout = find(text + '\n', options); });

    CHECK(layout.num_features == kNumFeatures);
    CHECK(layout.slots.back() == 0);
    CHECK(seconds < kMaxSeconds);
  }

  TEST_CASE("knows a header of numbers by the features' names") {
    CHECK(find("0,1\n5,6\n", optional(0, {"0", "1"})).has_header);
  }

  TEST_CASE("chooses features by position where there is no header") {
    const CsvOptions options = optional(0, {"a", "b"});

    CHECK(find("1,2\n", options).slots == Slots{0, 1});
    CHECK_FALSE(find("1,2\n", options).label.has_value());
    CHECK(find("1,2,setosa\n", options).slots == Slots{0, 1, -1});
  }

  TEST_CASE("has no optional label where every column is a feature") {
    CHECK_FALSE(find("a,b,class\n", optional(3)).label.has_value());
    CHECK(find("a,b,class\n", optional(2)).label->column == 2);
    CHECK(find("a,b,c\n", optional(0)).slots == Slots{0, 1, 2});
  }

  TEST_CASE("never takes a label where there must be none") {
    CsvOptions options;
    options.label_rule = LabelRule::kAbsent;

    CHECK(find("a,b,class\n", options).slots == Slots{0, 1, 2});
    CHECK(find("1,2\n", options).slots == Slots{0, 1});
  }

  TEST_CASE("finds the weight by name and by index and from the end") {
    CHECK(find("a,w,c\n", weight("w")).slots == Slots{0, -3, -1});
    CHECK(find("w,b,c\n", weight("0")).slots == Slots{-3, 0, -1});
    CHECK(find("1,2,0\n", weight("-2")).slots == Slots{0, -3, -1});
    CHECK(find("a,b,0\n", weight("0")).weight_column == 2);
    CHECK(find("3,5,x,0.5\n", weight("3")).weight_column == 3);
    CHECK(find("a,b,c\n").weight_column == -1);
  }

  TEST_CASE("takes the last column but the weight as the label") {
    const CsvLayout layout = find("5.1,3.5,setosa,0.5\n", weight("-1"));

    CHECK_FALSE(layout.has_header);
    CHECK(layout.label == ChosenLabel{2, "", true});
    CHECK(layout.slots == Slots{0, 1, -1, -3});
    CHECK(layout.num_features == 2);
  }

  TEST_CASE("knows a header of numbers by the weight's name") {
    CHECK(find("0,1,w,2\n5,6,7,0\n", weight("w")).has_header);
  }

  TEST_CASE("counts the weight neither as a feature nor as an optional label") {
    CsvOptions options = optional(2);
    options.weight = "2";

    CHECK(find("1,2,3\n", options).slots == Slots{0, 1, -3});
    CHECK(find("1,2,3,0\n", options).slots == Slots{0, 1, -3, -1});
    CHECK(find("a,b,w,c\n", options).label->name == "c");
  }

  TEST_CASE("chooses the weight beside features that have names") {
    CsvOptions options = optional(0, {"a", "b"});
    options.weight = "w";

    CHECK(find("w,b,id,a\n", options).slots == Slots{-3, 1, -2, 0});
    CHECK(find("w,b,id,a\n", optional(0, {"a", "b"})).slots ==
          Slots{-2, 1, -2, 0});
  }

  TEST_CASE("refuses a label that is no column and lists the choice") {
    CHECK(refusal("a,b,c\n", label("d")) ==
          "f.csv:1:1: no column is the label 'd'; expected 'a', "
          "'b', 'c', or an index from 0 to 2 or from -1 to -3");
    CHECK(refusal("1,2,3\n", label("3")) ==
          "f.csv:1:1: no column is the label '3'; expected an "
          "index from 0 to 2 or from -1 to -3");
    CHECK_THROWS_AS(find("1,2,3\n", label("-4")), DataError);
  }

  TEST_CASE("refuses a label whose name two columns have") {
    CHECK(refusal("a,b,b\n", label("b")) ==
          "f.csv:1:1: more than one column is named 'b'; expected one label "
          "column; name it by its 0-based index");
  }

  TEST_CASE("refuses a weight that is no column or the name of two") {
    CHECK(
        refusal("a,b,c\n", weight("d")) ==
        "f.csv:1:1: no column is the weight 'd'; expected 'a', 'b', 'c', or an "
        "index from 0 to 2 or from -1 to -3");
    CHECK(refusal("1,2,3\n", weight("3")) ==
          "f.csv:1:1: no column is the weight '3'; expected an "
          "index from 0 to 2 or from -1 to -3");
    CHECK(refusal("a,w,w\n", weight("w")) ==
          "f.csv:1:1: more than one column is named 'w'; expected one weight "
          "column; name it by its 0-based index");
  }

  TEST_CASE("refuses a weight that is the label or a feature") {
    CsvOptions both = weight("0");
    both.label = "0";
    CsvOptions feature = optional(0, {"a", "b"});
    feature.weight = "b";

    CHECK(refusal("a,b,class\n", weight("class")) ==
          "f.csv:1:1: column 'class' is the label; expected another column as "
          "the weight");
    CHECK(refusal("1,2,3\n", both) ==
          "f.csv:1:1: column 0 is the label; expected another "
          "column as the weight");
    CHECK(refusal("a,b\n", feature) ==
          "f.csv:1:1: column 'b' is a feature; expected another "
          "column as the weight");
  }

  TEST_CASE("refuses columns of which a weight leaves too few features") {
    CsvOptions options = weight("0");
    options.num_features = 4;
    CsvOptions unlabelled = options;
    unlabelled.label_rule = LabelRule::kAbsent;

    CHECK(
        refusal("1,2\n", weight("0")) ==
        "f.csv:1:1: there are two columns, the label and the weight; expected "
        "features as well, separated by ',' or ';' or a tab");
    CHECK(refusal("1\n", weight("0")) ==
          "f.csv:1:1: there is one column, the weight; expected "
          "features as well, separated by ',' or ';' or a tab");
    CHECK(refusal("1,2,0\n", options) ==
          "f.csv:1:1: wrong number of features; expected 4, got "
          "1, the label and the weight");
    CHECK(refusal("1,2,0\n", unlabelled) ==
          "f.csv:1:1: wrong number of features; expected 4, got 2 and the "
          "weight");
  }

  TEST_CASE("refuses a header that lacks a feature or has it twice") {
    CHECK(refusal("a,c\n", optional(0, {"a", "b"})) ==
          "f.csv:1:1: there is no column 'b'; expected the features by their "
          "names, got 'a', 'c'");
    CHECK(refusal("a,a,c\n", optional(0, {"a"})) ==
          "f.csv:1:1: more than one column is named 'a'; expected each feature "
          "once");
  }

  TEST_CASE("reports two features of one name where it learns the names") {
    CHECK(find("a,a,c\n", label("c")).guesses.repeated_name == "a");
    CHECK_FALSE(find("c,a,c\n", label("0")).guesses.repeated_name);
    CHECK(find("c,a,c\n", label("0")).num_features == 2);
  }

  TEST_CASE("refuses a label that is a feature at the same time") {
    CsvOptions options = label("a");
    options.feature_names = {"a", "b"};
    CsvOptions last;
    last.feature_names = {"a", "b"};

    CHECK(refusal("a,b\n", last) ==
          "f.csv:1:1: there is no label column, because the "
          "last column, 'b', is a feature; expected a column "
          "with the labels, named label, class, target or "
          "species, or chosen by its name");
    CHECK(refusal("a,b\n", options) ==
          "f.csv:1:1: column 'a' is a feature; expected another "
          "column as the label");
  }

  TEST_CASE("refuses another number of features by position") {
    CHECK(refusal("1,2\n", optional(3)) ==
          "f.csv:1:1: wrong number of features; expected 3, got 2");
    CsvOptions options;
    options.num_features = 4;
    CHECK(
        refusal("1,2,3,0\n", options) ==
        "f.csv:1:1: wrong number of features; expected 4, got 3 and the label; "
        "if all columns are features, there is no label column");
  }

  TEST_CASE(
      "refuses a file of one column and an empty one and a strange "
      "delimiter") {
    CHECK(refusal("1 2 3\n") ==
          "f.csv:1:1: there is one column, the label; expected "
          "features as well, separated by ',' or ';' or a tab; "
          "replace the spaces between columns by commas");
    CHECK(refusal("\n") == "f.csv: holds no data; expected rows of numbers");
    CsvOptions options;
    options.delimiter = ':';
    CHECK_THROWS_WITH_AS(find("1:2\n", options),
                         "delimiter must be ',' or ';' or '|' or a tab or a "
                         "space, got ':'",
                         ParamError);
  }

  TEST_CASE("obeys the rule of the header") {
    CsvOptions yes;
    yes.header = HeaderRule::kYes;
    CsvOptions no;
    no.header = HeaderRule::kNo;
    CsvOptions named = no;
    named.label = "kind";

    CHECK(find("5,6,0\n", yes).column_names.size() == 3);
    CHECK_FALSE(find("a,b,kind\n1,2,x\n", no).has_header);
    CHECK(refusal("a,b,kind\n", named) ==
          "f.csv:1:1: no column is the label 'kind' because "
          "there is no header; expected an index from 0 to 2 or "
          "from -1 to -3");
  }

  TEST_CASE("takes an index for the label though rows repeat the number") {
    const CsvLayout layout = find("T,2,0,0\nI,5,0,3\nT,1,1,1\n", label("0"));

    CHECK_FALSE(layout.has_header);
    CHECK(layout.label == ChosenLabel{0, "", false});
    CHECK(layout.num_features == 3);
  }

  TEST_CASE("chooses listed features in their order") {
    CsvOptions options;
    options.features = {"b", "-4"};

    CHECK(find("id,a,b,c\nx,1,2,0\n", options).slots == Slots{1, -2, 0, -1});
    options.features = {"1", "2"};
    CHECK(find("x,1,2,0\ny,3,4,1\n", options).slots == Slots{-2, 0, 1, -1});
  }

  TEST_CASE("ignores listed columns and takes the last other one as label") {
    CsvOptions options;
    options.ignored = {"0", "-1"};

    const CsvLayout layout = find("x,1,2,0,z\ny,3,4,1,z\n", options);

    CHECK(layout.slots == Slots{-2, 0, 1, -1, -2});
    CHECK_FALSE(layout.has_header);
  }

  TEST_CASE("takes a kept column for a feature only if features lack else") {
    CsvOptions options = optional(2);
    options.label_rule = LabelRule::kAbsent;
    options.kept = {"0"};

    CHECK(find("x,1,2\ny,3,4\n", options).slots == Slots{-2, 0, 1});
    CHECK(find("1,2\n3,4\n", options).slots == Slots{0, 1});
    CHECK(find("1,2\n3,4\n", options).kept == Slots{0});
  }

  TEST_CASE("refuses a column with two roles") {
    CsvOptions options = label("c");
    options.features = {"a", "c"};
    CHECK(refusal("a,b,c\n", options) ==
          "f.csv:1:1: column 'c' is a feature; expected another "
          "column as the label");
    options.features = {"a"};
    options.ignored = {"a"};
    CHECK(refusal("a,b,c\n", options) ==
          "f.csv:1:1: column 'a' is a feature; expected other "
          "columns to ignore");
    options.ignored = {"c"};
    CHECK(refusal("a,b,c\n", options) ==
          "f.csv:1:1: column 'c' is the label; expected another "
          "column to ignore");
    options.ignored = {"b", "1"};
    CHECK(refusal("a,b,c\n", options) ==
          "f.csv:1:1: column 'b' is listed twice as ignored "
          "column; expected each column once");
  }

  TEST_CASE("takes a category of a model without names for data") {
    CsvOptions options = optional(0);
    options.use_columns(
        {{"", datasets::ColumnKind::kCategory, {"blue", "red"}, {}}});

    CHECK_FALSE(find("red\n", options).has_header);
    CHECK(find("color\nred\nred\n", options).has_header);
  }

  TEST_CASE("notes row names beside the features of a model") {
    CHECK(find("x\na,1\nb,2\n", optional(1, {"x"})).guesses.row_names ==
          std::vector<Index>{0});
    CHECK(refusal("x\n1,500\n1,600\n", optional(1, {"x"})) ==
          "f.csv:1:1: the header has 1 name, and the rows have one field more, "
          "which is no row name: it repeats or is no name; expected as many "
          "names as fields; if a comma separates thousands, write 1500 for "
          "1,500");
  }

  TEST_CASE("refuses a field more than names that is no row name") {
    const std::string text = "price,rooms,y\n1,500,3,a\n1,700,2,b\n2,100,4,a\n";
    CHECK(refusal(text).find("f.csv:1:1: the header has 3 names, and the rows "
                             "have one field more, which is no row name") == 0);
    CsvOptions options;
    options.ignored = {"0"};
    CHECK(find(text, options).num_features == 2);
  }

  TEST_CASE("takes a row with a named column of categories for a header") {
    CsvOptions options;
    options.one_hot.columns = {"color"};

    CHECK(find("color,kind\nred,x\n", options).has_header);
    CHECK(find("color,kind\nred,x\n", options).categories == Slots{0});
  }
}

}  // namespace mlp::datasets::detail
