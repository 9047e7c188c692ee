// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/expansion/expanded_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

using Names = std::vector<std::string>;

/// Translates for files of id,features,w,y in a folder day=1.
CsvOptions translate(const CsvOptions& options, bool has_header = true) {
  CsvColumns columns({"id", "features", "w", "y", "day"}, "f.csv", 1);
  columns.set_has_header(has_header);
  return ExpandedColumns(columns, VectorColumns({{1, 3}})).translate(options);
}

std::string refusal(const CsvOptions& options) {
  return test::thrown_message<DataError>(
      [&] { static_cast<void>(translate(options)); });
}

}  // namespace

TEST_SUITE("datasets/csv/expansion/expanded_columns") {
  TEST_CASE("an index of each option counts the columns of the files") {
    CsvOptions options;
    options.label = "3";
    options.weight = "2";
    options.group = "-4";
    options.features = {"1", "w"};
    options.ignored = {"0"};
    options.kept = {"-1", "day"};
    options.targets = {"-2", "3"};
    options.one_hot.columns = {"-2"};

    const CsvOptions expanded = translate(options);

    CHECK(expanded.label == "5");
    CHECK(expanded.weight == "4");
    CHECK(expanded.group == "0");
    CHECK(expanded.features ==
          Names{"features_0", "features_1", "features_2", "w"});
    CHECK(expanded.ignored == Names{"0"});
    CHECK(expanded.kept == Names{"5", "day"});
    CHECK(expanded.targets == Names{"4", "5"});
    CHECK(expanded.one_hot.columns == Names{"4"});
    CHECK(expanded.vectors == VectorColumns({{1, 3}}));
  }

  TEST_CASE("the index of a known label counts the columns of the files") {
    CsvOptions options;
    options.known_label = KnownLabel{"", 3};

    CHECK(translate(options, false).known_label->column == 5);
  }

  TEST_CASE("a name of vectors stands for their elements in each list") {
    const Names elements{"features_0", "features_1", "features_2"};
    CsvOptions options;
    options.ignored = {"features"};
    options.kept = options.targets = options.one_hot.columns = options.ignored;

    const CsvOptions expanded = translate(options);

    CHECK(expanded.ignored == elements);
    CHECK(expanded.kept == elements);
    CHECK(expanded.targets == elements);
    CHECK(expanded.one_hot.columns == elements);
  }

  TEST_CASE("without a header elements have indices") {
    CsvOptions options;
    options.features = {"-3", "3"};

    CHECK(translate(options, false).features == Names{"1", "2", "3", "5"});
  }

  TEST_CASE("an index that is a name of another column becomes a name") {
    CsvColumns columns({"v", "x", "2"}, "f.csv");
    columns.set_has_header(true);
    CsvOptions options;
    options.kept = {"1", "2"};

    CHECK(ExpandedColumns(columns, VectorColumns({{0, 2}}))
              .translate(options)
              .kept == Names{"x", "2"});
  }

  TEST_CASE("refuses vectors with elements that a model does not have") {
    const auto refusal_of = [](CsvOptions options) {
      options.feature_names = {"v_0", "v_1"};
      CsvColumns columns({"v", "x"}, "f.csv");
      columns.set_has_header(true);
      return test::thrown_message<DataError>([&] {
        static_cast<void>(ExpandedColumns(columns, VectorColumns({{0, 3}}))
                              .translate(options));
      });
    };
    CsvOptions ignoring;
    ignoring.ignored = {"v_2"};

    CHECK(refusal_of({}) ==
          "f.csv:1:1: column 'v' has vectors of 3 elements; expected 2, as in "
          "the training, which has no 'v_2'; ignore this element if the "
          "training ignored it");
    CHECK(refusal_of(ignoring).empty());
  }

  TEST_CASE("refuses an index that no column of the files has") {
    CsvOptions options;
    options.label = "4";
    const std::string sentence = refusal(options);

    CHECK(sentence.find("no column is the label '4'") != sentence.npos);
    CHECK(sentence.find("an index from 0 to 3 or from -1 to -4") !=
          sentence.npos);

    options.label_rule = LabelRule::kOptional;
    CHECK(translate(options).label_rule == LabelRule::kAbsent);
    CHECK(translate(options).label.empty());
  }

  TEST_CASE("refuses vectors as the label, the weight or the group") {
    CsvOptions label;
    label.label = "1";
    CsvOptions weight;
    weight.weight = "features";
    CsvOptions group;
    group.group = "-3";
    const std::string start =
        "f.csv:1:1: column 'features' has vectors; expected a column of single "
        "values as the ";

    CHECK(refusal(label) == start + "label");
    CHECK(refusal(weight) == start + "weight");
    CHECK(refusal(group) == start + "group");
  }
}

}  // namespace mlp::datasets::detail
