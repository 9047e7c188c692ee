// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/csv_first_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../../core/error.hpp"
#include "../../../../datasets/csv/csv.hpp"

using namespace mlp;
using namespace mlp::datasets;

namespace {

using Texts = std::vector<std::string>;

/// Reads texts as the files 0.csv, 1.csv, ...
CsvTable read_all(const Texts& texts, const CsvOptions& options = {}) {
  std::vector<TextFile> files;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    files.push_back({std::to_string(i) + ".csv", texts[i]});
  }
  return read_csv(files, "all", options);
}

void check_refused(const Texts& texts, const std::string& sentence,
                   const CsvOptions& options = {}) {
  CHECK_THROWS_WITH_AS(read_all(texts, options), sentence.c_str(), DataError);
}

CsvOptions with_categories() {
  CsvOptions options;
  options.one_hot.is_auto = true;
  return options;
}

}  // namespace

TEST_SUITE("datasets/csv/layout/csv_first_rows") {
  TEST_CASE("appends the rows of files that have the same header") {
    const CsvTable table =
        read_all({"x,y,kind\n1,2,a\n", "x,y,kind\n", "x,y,kind\n3,4,b\n5,6,a"});

    CHECK(table.dataset.features == Matrix{{1, 3, 5}, {2, 4, 6}});
    CHECK(table.dataset.label_texts == Texts{"a", "b", "a"});
    CHECK(table.dataset.source == "all");
    CHECK(table.dataset.place_of(2).file == "2.csv");
    CHECK(table.dataset.place_of(2).position.line == 3);
  }

  TEST_CASE("appends the rows of files that have no header") {
    const CsvTable table = read_all({"1,2,0\n", "3,4,1\n5,6,0\n"});

    CHECK_FALSE(table.has_header);
    CHECK(table.dataset.features.cols() == 3);
  }

  TEST_CASE("decides by the first file that has rows") {
    const CsvTable table = read_all({"0,1,2\n", "0,1,2\n7,8,9\n4,5,6\n"});

    CHECK(table.has_header);
    CHECK(table.dataset.num_instances() == 2);
  }

  TEST_CASE("decides about labels and categories for all files together") {
    const CsvTable table = read_all(
        {"x,c,kind\n1,1,0\n", "x,c,kind\n2,2,1\n", "x,c,kind\n3,1,no\n"});
    CHECK(table.dataset.label_texts == Texts{"0", "1", "no"});

    CsvOptions options;
    options.one_hot.columns = {"c"};
    const CsvTable encoded =
        read_all({"x,c,kind\n1,b,0\n", "x,c,kind\n2,a,1\n3,b,0\n"}, options);
    CHECK(encoded.dataset.columns[1].categories == Texts{"a", "b"});
    CHECK(encoded.dataset.features.row(1) == Matrix{{1, 0, 1}}.row(0));
  }

  TEST_CASE("refuses a number in one file among the categories of another") {
    check_refused(
        {"x,c,kind\n1,5,0\n2,5,1\n", "x,c,kind\n3,red,0\n"},
        "1.csv:2: column 'c' has both numbers, such as '5', and texts, such as "
        "'red'; expected one kind; correct the column, choose other texts for "
        "missing values, or choose it by its name to encode all its values as "
        "categories",
        with_categories());
  }

  TEST_CASE("reads kept columns of all files") {
    CsvOptions options;
    options.kept = {"id"};
    options.features = {"x"};
    options.missing = MissingRule::kDrop;
    const CsvTable table = read_all({"id,x,kind\np,1,0\nq,?,1\n", "id,x,kind\n",
                                     "id,x,kind\n\"r,\ns\",3,1\n"},
                                    options);

    CHECK(table.kept[0].texts == Texts{"p", "r,\ns"});
  }

  TEST_CASE("reads the same with several threads") {
    std::vector<TextFile> files;
    const Texts texts{"x,k\n1,a\n2,b\n3,a\n\n\n", "x,k\n4,b\n",
                      "x,k\n5,b\n6,a\n"};
    for (const auto& text : texts) files.push_back({"f", text});
    CsvOptions options;
    options.num_threads = 3;

    const CsvTable table =
        datasets::detail::read_csv_texts(files, "all", options, {1, 3, 1});

    CHECK(table.dataset.features == Matrix{{1, 2, 3, 4, 5, 6}});
    CHECK(table.dataset.label_texts == Texts{"a", "b", "a", "b", "b", "a"});
    CHECK(table.dataset.place_of(5).position.line == 3);
  }

  TEST_CASE("leaves out an index that begins again or goes on in each file") {
    const CsvTable table =
        read_all({",x,kind\n0,5,a\n1,6,b\n", ",x,kind\n2,7,a\n"});
    CHECK(table.dataset.num_features() == 1);

    const CsvTable other =
        read_all({",x,kind\n0,5,a\n", ",x,kind\n9,7,a\n9,8,a\n"});
    CHECK(other.dataset.num_features() == 2);
  }

  TEST_CASE("refuses other names, another order and other columns") {
    check_refused(
        {"x,y,kind\n1,2,a\n", "x,z,kind\n1,2,a\n"},
        "1.csv:1:3: expected the name 'y' of column 1 as in 0.csv, got "
        "'z'; all files need the same columns in the same order");
    check_refused(
        {"x,y,kind\n1,2,a\n", "y,x,kind\n1,2,a\n"},
        "1.csv:1:1: expected the name 'x' of column 0 as in 0.csv, got "
        "'y'; all files need the same columns in the same order");
    check_refused({"x,y,kind\n1,2,a\n", "x,kind\n1,a\n"},
                  "1.csv:1:1: expected 3 columns as in 0.csv, got 2; all files "
                  "need the same columns");
  }

  TEST_CASE("refuses a file without the header of the other ones") {
    check_refused(
        {"x,y,kind\n1,2,a\n", "3,4,b\n"},
        "1.csv:1:1: expected a header as in 0.csv, which begins with "
        "'x', got a row that begins with '3'; all files need the same "
        "header, or none");
  }

  TEST_CASE("refuses a header that only a later file has") {
    check_refused(
        {"1,2,a\n2,3,b\n", "x,y,kind\n3,4,b\n"},
        "1.csv:1:1: the first row is a header, which begins with 'x', "
        "but 0.csv has none; all files need the same header, or none");
    check_refused(
        {"a,b,p\na,c,q\n", "x,y,label\na,b,p\n"},
        "1.csv:1:1: the first row is a header, which begins with 'x', "
        "but 0.csv has none; all files need the same header, or none",
        with_categories());
  }

  TEST_CASE("refuses texts that begin each file and may be a header") {
    check_refused(
        {"a,b,p\na,c,q\n", "a,b,p\nd,b,q\n"},
        "0.csv:1:1: the first row of each file is the same and has only "
        "texts, so it may be a header or data; expected to be told which "
        "one it is",
        with_categories());
  }

  TEST_CASE("names the file and the line of a wrong field") {
    check_refused(
        {"x,kind\n1,a\n", "x,kind\n1,a\n?,b\n"},
        "1.csv:3:1: expected a number in column 'x', got '?'; fill in "
        "the missing value or remove the row");
    check_refused(
        {"x,kind\n1,a\n", "x,kind\n1,\xE9\n"},
        "1.csv:2:3: the label '\\xe9' is not UTF-8; convert the file: "
        "iconv -f WINDOWS-1252 -t UTF-8 1.csv");
  }
}
