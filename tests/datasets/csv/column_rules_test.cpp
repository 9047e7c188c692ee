// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/column_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "read_text.hpp"

namespace mlp::datasets::detail {

namespace {

using namespace datasets::testing;

CsvOptions one_hot(const Texts& columns = {}) {
  CsvOptions options;
  options.one_hot.is_auto = columns.empty();
  options.one_hot.columns = columns;
  return options;
}

/// Options with the columns of a model.
CsvOptions of_model() {
  CsvOptions options;
  options.label_rule = datasets::LabelRule::kAbsent;
  options.use_columns({{"x", ColumnKind::kNumber, {}, std::nullopt},
                       {"color", ColumnKind::kCategory, {"blue", "red"}, 1.0}});
  return options;
}

/// \param row  how a row starts, which a number follows
std::string many_rows(int num_rows, const std::string& row) {
  std::string text = "id,x,label\n";
  for (int i = 0; i < num_rows; ++i) {
    text += row + std::to_string(i) + ",1," + std::to_string(i % 2) + '\n';
  }
  return text;
}

const std::string kColors =
    "x,color,size,label\n1,red,S,a\n2,blue,M,b\n3,red,L,a\n4,\"red\",S,b\n";

}  // namespace

TEST_SUITE("datasets/csv/column_rules") {
  TEST_CASE("stores the places of categories in the sorted list") {
    const CsvTable table = read(kColors, one_hot());

    CHECK(table.dataset.features ==
          Matrix{{1, 2, 3, 4}, {1, 0, 1, 1}, {2, 1, 0, 2}});
    CHECK(table.dataset.columns[0].kind == ColumnKind::kNumber);
    CHECK(table.dataset.columns[1].categories == Texts{"blue", "red"});
    CHECK(table.dataset.columns[2].categories == Texts{"L", "M", "S"});
    CHECK(table.dataset.label_texts == Texts{"a", "b", "a", "b"});
  }

  TEST_CASE("finds texts that come late and in several columns") {
    const CsvTable table =
        read("x,y,z,label\n1,1,1,0\n2,a,2,1\n3,b,c,0\n", one_hot({"y", "z"}));

    CHECK(table.dataset.columns[1].categories == Texts{"1", "a", "b"});
    CHECK(table.dataset.columns[2].categories == Texts{"1", "2", "c"});
  }

  TEST_CASE("encodes chosen columns even if they have numbers") {
    const CsvTable table =
        read("zip,x,label\n10,1,0\n9,2,1\n10,3,1\n", one_hot({"zip"}));

    CHECK(table.dataset.columns[0].categories == Texts{"10", "9"});
    CHECK(table.dataset.features == Matrix{{0, 1, 0}, {1, 2, 3}});
    CHECK(read("5,1,0\n6,2,1\n", one_hot({"-3"})).dataset.columns[0].kind ==
          ColumnKind::kCategory);
  }

  TEST_CASE("keeps the names of two features that have the same name") {
    const CsvTable table = read("c,c,label\na,1,0\nb,2,1\na,3,1\n", one_hot());

    CHECK(table.dataset.feature_names == Texts{"c", "c"});
    CHECK(table.dataset.columns[0].name == "c");
    CHECK(table.dataset.columns[0].categories == Texts{"a", "b"});
  }

  TEST_CASE("leaves out an index column beside categories") {
    const CsvTable table =
        read(",c,size,label\n0,a,S,0\n1,b,M,1\n2,a,S,1\n", one_hot());

    CHECK(table.guesses.row_names == std::vector<Index>{0});
    CHECK(table.dataset.features == Matrix{{0, 1, 0}, {1, 0, 1}});
  }

  TEST_CASE("refuses a decimal comma rather than to take it for a category") {
    CHECK(
        refusal("x;label\n1,5;a\n2,5;b\n1,5;a\n", one_hot())
            .find(
                "f.csv:2:1: expected a number or a category in column 'x', got "
                "'1,5'") == 0);
  }

  TEST_CASE("gives the same result for any number of threads and pieces") {
    std::string text = "x,color,y,city,label\n";
    for (int i = 0; i < 400; ++i) {
      text += std::to_string(i) + ",c" + std::to_string(i * 7 % 13) + ',' +
              std::to_string(i % 5) + ",\"n" + std::to_string(i * 3 % 11) +
              "\",l" + std::to_string(i % 3) + '\n';
    }
    CsvOptions options = one_hot();
    const CsvTable one = read(text, options);
    options.num_threads = 3;

    const CsvTable three =
        read_csv_text(text, "f.csv", options, PieceSizes{1, 64, 2});

    CHECK(three.dataset.features == one.dataset.features);
    CHECK(three.dataset.columns == one.dataset.columns);
    CHECK(three.dataset.label_texts == one.dataset.label_texts);
  }

  TEST_CASE("uses the categories of a model and refuses others") {
    const CsvTable table = read("color,x\nred,5\n?,6\n", of_model());

    CHECK(table.dataset.features(1, 0) == 1.0);
    CHECK(table.missing.num_values == 1);
    CHECK(refusal("x,color\n1,green\n", of_model()) ==
          "f.csv:2:3: unknown category 'green' in column 'color'; expected one "
          "of 'blue', 'red'");
    CHECK(refusal("x,color\n?,red\n", of_model()) ==
          "f.csv:2:1: expected a number in column 'x', got '?'; fill in the "
          "missing value or remove the row");
  }

  TEST_CASE("stores -1 for an unknown category that is ignored") {
    CsvOptions options = of_model();
    options.unknown = UnknownRule::kIgnore;

    const CsvTable table = read("x,color\n1,green\n2,red\n", options);

    CHECK(table.dataset.features == Matrix{{1, 2}, {-1, 1}});
    CHECK(table.missing.num_unknown == 1);
  }

  TEST_CASE("stores the code of other categories for an unknown one") {
    CsvOptions options = of_model();
    options.columns[1].extra = ExtraFeature::kOther;
    options.unknown = UnknownRule::kOther;

    const CsvTable table = read("x,color\n1,green\n2,red\n", options);

    CHECK(table.dataset.features == Matrix{{1, 2}, {2, 1}});
    CHECK(table.missing.num_unknown == 1);
  }

  TEST_CASE("describes columns by default only if one needs it") {
    CsvOptions options;
    options.use_preset(false, false, false);

    CHECK(read("x,y,label\n1,2,0\n3,4,1\n", options).dataset.columns.empty());
    CHECK(read("x,y,label\n1,,0\n3,4,1\n", options).dataset.columns.size() ==
          2);
    CHECK(read("x,y,label\n1,a,0\n3,b,1\n", options).dataset.columns.size() ==
          2);
  }

  TEST_CASE("takes the rule of a model only if it has categories") {
    CsvOptions with_categories = of_model();
    CsvOptions with_numbers;

    with_categories.use_rules({UnknownRule::kIgnore, {}});
    with_numbers.use_rules({UnknownRule::kIgnore, {}});

    CHECK(with_categories.unknown == UnknownRule::kIgnore);
    CHECK(with_numbers.unknown == UnknownRule::kRefuse);
  }

  TEST_CASE("forgets categories whose rows are all left out") {
    CsvOptions options = one_hot();
    options.missing = datasets::MissingRule::kDrop;

    const CsvTable table = read("x,c,label\n1,a,0\n?,b,1\n3,c,0\n", options);

    CHECK(table.dataset.columns[1].categories == Texts{"a", "c"});
    CHECK(table.dataset.features == Matrix{{1, 3}, {0, 1}});
  }

  TEST_CASE("refuses identifiers and too many categories") {
    CHECK(refusal(many_rows(20, "n"), one_hot()) ==
          "f.csv: column 'id' has 20 different texts in 20 rows; expected "
          "categories that repeat; leave the column out");
    CHECK(refusal(many_rows(1001, "n"), one_hot({"id"})) ==
          "f.csv: column 'id' has more than 1000 different texts; expected "
          "categories that repeat; leave the column out");
    CHECK(refusal(many_rows(1000, "n"), one_hot({"id"})) == "");
  }

  TEST_CASE("refuses a column with numbers and a few texts") {
    CHECK(refusal("x,y,label\n1,10,0\n2,1O,1\n", one_hot()) ==
          "f.csv:3: column 'y' has both numbers, such as '10', and texts, such "
          "as '1O'; expected one kind; correct the column, or choose it by its "
          "name to encode all its values as categories");
  }

  TEST_CASE("says that a few texts among numbers may mean a missing value") {
    CHECK(refusal("x,label\n1,0\n2,1\n-,0\n3,1\n", one_hot()) ==
          "f.csv:4: column 'x' has both numbers, such as '1', and texts, such "
          "as '-'; expected one kind; correct the column, choose other texts "
          "for missing values, or choose it by its name to encode all its "
          "values as categories");
  }

  TEST_CASE("refuses to encode a column that is no feature") {
    for (const char* name : {"label", "3", "-1"}) {
      CHECK(refusal(kColors, one_hot({name})) ==
            "f.csv:1:1: column 'label' is no feature; expected features as "
            "columns of categories");
    }
    CHECK(refusal(kColors, one_hot({"colour"})) ==
          "f.csv:1:1: no column is the column of categories 'colour'; did you "
          "mean 'color'?");
    CHECK(refusal(kColors, one_hot({"-5"})) ==
          "f.csv:1:1: no column is the column of categories '-5'; expected "
          "'x', 'color', 'size', 'label', or an index from 0 to 3 or from -1 "
          "to -4");
    CHECK(refusal(kColors, one_hot({"color", "1"})) ==
          "f.csv:1:1: column 'color' is listed twice as column of categories; "
          "expected each column once");
  }

  TEST_CASE("refuses missing and broken categories") {
    CHECK(refusal("x,c,label\n1,a,0\n2,?,1\n", one_hot()) ==
          "f.csv:3:3: expected a number or a category in column 'c', got '?'; "
          "fill in the missing value or remove the row");
    CHECK(refusal("x,c,label\n1,a,0\n2,?,1\n", one_hot({"c"})) ==
          "f.csv:3:3: expected a category in column 'c', got '?'; fill in the "
          "missing value or remove the row");
    CHECK(refusal("x,c,label\n1,a,0\n2,\xFF,1\n", one_hot()) ==
          "f.csv: column 'c' has the category '\\xff', which is not UTF-8; "
          "convert the file: iconv -f WINDOWS-1252 -t UTF-8 f.csv");
  }
}

}  // namespace mlp::datasets::detail
