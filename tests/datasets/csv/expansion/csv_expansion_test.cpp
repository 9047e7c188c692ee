// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/expansion/csv_expansion.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

const std::string kFile = "f.csv";

/// The text of one file as the reader gets it.
std::string expand(const std::string& text, const FolderColumns& folders,
                   const CsvOptions& options = {}) {
  const std::vector<TextFile> files{{kFile, text}};
  const CsvExpansion expansion(files, folders, options);
  return expansion.is_needed() ? expansion.expand({text, kFile}) : text;
}

std::string refusal(const std::string& text, const FolderColumns& folders,
                    const CsvOptions& options = {}) {
  return test::thrown_message<DataError>(
      [&] { static_cast<void>(expand(text, folders, options)); });
}

const FolderColumns kNone;
const FolderColumns kDay{{"day"}, {{"1"}}};

}  // namespace

TEST_SUITE("datasets/csv/expansion/csv_expansion") {
  TEST_CASE("a plain file needs nothing") {
    const std::string text = "a,b\n1,2\n";
    const std::vector<TextFile> files{{kFile, text}};

    CHECK_FALSE(CsvExpansion(files, kNone, {}).is_needed());
  }

  TEST_CASE("each row gets the values of its folders, and keeps its line") {
    const FolderColumns two{{"day", "city"}, {{"1", "a,b"}}};

    CHECK(expand("a,b\n1,2\n", kDay) == "a,b,day\n1,2,1\n");
    CHECK(expand("a;b\r\n1;2\r\n\r\n3;4", two) ==
          "a;b;day;city\r\n1;2;1;a,b\r\n\r\n3;4;1;a,b");
    CHECK(expand("a,b\n\"x\ny\",2\n", two) ==
          "a,b,day,city\n\"x\ny\",2,1,\"a,b\"\n");
    CHECK(expand("\xEF\xBB\xBF"
                 "a,b\n1,2\n",
                 kDay) ==
          "\xEF\xBB\xBF"
          "a,b,day\n1,2,1\n");
  }

  TEST_CASE("a delimiter at the end of the rows is not doubled") {
    CHECK(expand("a,b,\n1,2,\n", kDay) == "a,b,day\n1,2,1\n");
    CHECK(expand("a,b\n1,2,\n", kDay) == "a,b,day\n1,2,1\n");
    CHECK(expand("v,y,\n\"[1.0,2.0]\",3,\n", kDay) ==
          "v_0,v_1,y,day\n1.0,2.0,3,1\n");
    CHECK(expand("v,y\n\"[1.0,2.0]\",3,\n", kDay) ==
          "v_0,v_1,y,day\n1.0,2.0,3,1\n");
  }

  TEST_CASE("a missing value is an empty field, also between spaces") {
    const FolderColumns missing{{"day"}, {{std::nullopt}}};

    CHECK(expand("a,b\n1,2\n", missing) == "a,b,day\n1,2,\n");
    CHECK(expand("a b\n1 2\n", missing) == "a b day\n1 2 \"\"\n");
  }

  TEST_CASE("refuses folders above files without a header") {
    CHECK(refusal("1,2\n3,4\n", kDay) ==
          "f.csv:1:1: has no header, but its folders give the columns 'day'; "
          "expected the names of the columns in the first row; add a header, "
          "or name the folders that have the files");
  }

  TEST_CASE("flags may name the columns of folders") {
    CsvOptions options;
    options.label = "day";
    options.ignored = {"day", "a"};

    CHECK(expand("a,b\n1,2\n", kDay, options) == "a,b,day\n1,2,1\n");
  }

  TEST_CASE("refuses a column that is in the file and in its folder") {
    CHECK(refusal("a,day\n1,2\n", kDay) ==
          "f.csv:1:3: the column 'day' is in the file, and in the name of its "
          "folder; expected it once; rename one of them");
  }

  TEST_CASE("a column of vectors becomes one for each element") {
    CHECK(expand("label,features\n0,\"[1.0,2.0]\"\n1,\"(2,[1],[5.0])\"\n",
                 {}) == "label,features_0,features_1\n0,1.0,2.0\n1,0,5.0\n");
    CHECK(expand("0;[1.0,2.0];x\n1;[3.0,4.0];y", {}) ==
          "0;1.0;2.0;x\n1;3.0;4.0;y");
    CHECK(expand("v;\"a;b\"\n[1.0,2.0];\"x;y\"\n", kDay) ==
          "v_0;v_1;\"a;b\";day\n1.0;2.0;\"x;y\";1\n");
  }

  TEST_CASE("flags take the name of a column of vectors for its elements") {
    const std::string text = "label;v;w\n0;[1.0,2.0];3\n";
    const std::vector<TextFile> files{{kFile, text}};
    CsvOptions options;
    options.features = {"v", "w"};
    options.ignored = {"v"};

    const CsvExpansion expansion(files, kNone, options);

    CHECK(expansion.num_elements() == 2);
    CHECK(expansion.options().features ==
          std::vector<std::string>{"v_0", "v_1", "w"});
    CHECK(expansion.options().ignored ==
          std::vector<std::string>{"v_0", "v_1"});
    CHECK(expansion.options().header == HeaderRule::kYes);
  }

  TEST_CASE("indices count the columns that rows without vectors have") {
    const std::vector<TextFile> files{{kFile, "v,y,\n\"[1.0,2.0]\",3,\n"}};
    const std::vector<TextFile> names{{kFile, "v y\na [1.0,2.0] 3\n"}};
    CsvOptions options;
    options.label = "-1";

    CHECK(CsvExpansion(files, kDay, options).options().label == "2");
    CHECK(CsvExpansion(files, kNone, options).options().label == "2");
    CHECK(CsvExpansion(names, kNone, options).options().label == "3");
  }

  TEST_CASE("refuses a vector of another size, and what is none") {
    const std::string start = "y;v\n0;[1.0,2.0]\n1;";

    CHECK(refusal(start + "[1.0]\n", {}) ==
          "f.csv:3:3: expected a vector of 2 elements, got 1; all need equal "
          "sizes");
    CHECK(refusal(start + "\n", {}) ==
          "f.csv:3:3: expected a vector of 2 elements, got no value; remove "
          "the row");
    CHECK(refusal("y;v\n0;(2000000000,[],[])\n", {}) ==
          "f.csv: too many features; expected at most 1048576, got 2000000000");
    CHECK(refusal(start + "x\n", {}) ==
          "f.csv:3:3: expected a vector of 2 elements, got 'x'");
  }
}

}  // namespace mlp::datasets::detail
