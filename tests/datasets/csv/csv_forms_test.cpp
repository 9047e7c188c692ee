// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "read_text.hpp"

namespace mlp::datasets {

// The forms of CSV that other programs write.

using namespace testing;

TEST_SUITE("datasets/csv/csv_forms") {
  TEST_CASE("reads True and False as 1 and 0") {
    const Dataset data = read("a,b,y\nTrue,5,p\nfalse,6,q\n0,7,p\n").dataset;

    CHECK(data.features.row(0) == Eigen::RowVector3d(1, 0, 0));
    CHECK(refusal("a,b,y\nTrue,5,p\n2.5,6,q\n") ==
          "f.csv: column 'a' has both True or False and numbers, such as 2.5; "
          "expected one kind; correct the column, or choose it by its name to "
          "encode all its values as categories");
  }

  TEST_CASE("makes categories of True and False only beside other texts") {
    CsvOptions options;
    options.one_hot.is_auto = true;
    const Dataset plain =
        read("a,b,y\nTrue,x,p\nFalse,z,q\nTrue,x,p\n", options).dataset;
    const Dataset mixed =
        read("a,b,y\nTrue,x,p\nFalse,z,q\nmaybe,x,p\n", options).dataset;

    CHECK(plain.columns[0].categories.empty());
    CHECK(mixed.columns[0].categories == Texts{"False", "True", "maybe"});
  }

  TEST_CASE("reads decimal commas, and refuses points among them") {
    CsvOptions options;
    options.decimal = ',';
    options.weight = "w";
    const Dataset data = read("a;w;y\n3,5;0,5;1\n-1e-1;2;0\n", options).dataset;

    CHECK(data.features == Matrix(Eigen::RowVector2d(3.5, -0.1)));
    CHECK(data.weights == Vector(Eigen::Vector2d(0.5, 2.0)));
    CHECK(
        refusal("a;w;y\n1.234;1;0\n", options) ==
        "f.csv:2:1: expected a number in column 'a', got '1.234'; decimals are "
        "separated by a comma here, and a point may separate thousands: write "
        "the number without a point");
  }

  TEST_CASE(
      "categories and classes with decimal commas are those with points") {
    CsvOptions points;
    points.delimiter = ';';
    points.one_hot.columns = {"k"};
    CsvOptions commas = points;
    commas.decimal = ',';
    const Dataset expected =
        read("k;x;y\n1.0;2;a\nred;3;2.50\n1;4;a\n", points).dataset;

    const Dataset data =
        read("k;x;y\n1,0;2;a\nred;3;2,50\n1;4;a\n", commas).dataset;

    CHECK(data.columns == expected.columns);
    CHECK(data.features == expected.features);
    CHECK(data.label_texts == expected.label_texts);
  }

  TEST_CASE("refuses a category or class that is two with decimal commas") {
    CsvOptions options;
    options.decimal = ',';
    options.delimiter = ';';
    options.one_hot.columns = {"k"};
    const std::string advice = "write the number without a point";

    CHECK(refusal("k;y\n1,234;a\nx;b\n1.234;a\n", options).find(advice) !=
          std::string::npos);
    options.one_hot.columns = {};
    CHECK(refusal("x;y\n1;v1\n2;1,5\n3;1.5\n", options).find(advice) !=
          std::string::npos);
  }

  TEST_CASE("refuses a text among numbers with decimal commas") {
    CsvOptions options;
    options.decimal = ',';
    options.one_hot.is_auto = true;
    std::string text = "a;y\n";
    for (int i = 0; i < 60; ++i) {
      text += std::to_string(i % 10) + ",5;" + (i % 2 == 0 ? "p" : "q") + '\n';
    }

    CHECK(refusal(text + "k.A.;p\n", options).find("'k.A.'") !=
          std::string::npos);
    options.header = HeaderRule::kYes;
    CHECK(refusal("a;y\n1.5;p\n2.5;q\n", options)
              .find("write the number without a point") != std::string::npos);
  }

  TEST_CASE("refuses a field behind the last delimiter") {
    std::string text = "a,y,\n";
    for (int i = 0; i < 2000; ++i) text += "1,0,\n";

    CHECK(read(text).dataset.num_instances() == 2000);
    CHECK(refusal(text + "1,0,note\n") != "");
  }

  TEST_CASE("takes given texts and numbers for missing values, and no others") {
    CsvOptions options;
    options.missing = datasets::MissingRule::kDrop;
    options.missing_texts = datasets::MissingTexts({"-999", "none"});
    const Dataset data =
        read("a,b,y\n1,2,0\n-999.0,2,1\n3,None,1\n4,5,-999\n", options).dataset;

    CHECK(data.features == Matrix(Eigen::Vector2d(1, 2)));
    CHECK_THROWS_AS(read("a,b,y\n?,2,0\n", options), DataError);
  }

  TEST_CASE("refuses a repeated header among numbers and among texts") {
    const std::string sentence =
        "this line repeats the header; expected a row of data; if several "
        "files were joined into one, remove the other headers, or give the "
        "files one by one";
    CsvOptions categories;
    categories.one_hot.is_auto = true;

    CHECK(refusal("a,y\n1,p\na,y\n2,q\n") == ("f.csv:3:1: " + sentence));
    CHECK(refusal("a,n,y\nu,1,p\nv,2,p\na,n,y\nu,3,q\n", categories) ==
          ("f.csv:4:1: " + sentence));
  }

  TEST_CASE("reads row names of R and delimiters at line ends as no feature") {
    for (const char* const text :
         {"\"\",\"a\",\"y\"\n\"1\",5,\"p\"\n\"2\",6,\"q\"\n",
          "\"a\" \"y\"\n\"1\" 5 \"p\"\n\"2\" 6 \"q\"\n", "a,y,\n5,p,\n6,q,\n",
          "a;y\n5;p;\n6;q;\n"}) {
      const Dataset data = read(text).dataset;

      CHECK_MESSAGE(data.features == Matrix(Eigen::RowVector2d(5, 6)), text);
      CHECK_MESSAGE((data.label_texts == Texts{"p", "q"}), text);
      CHECK_MESSAGE((data.feature_names == Texts{"a"}), text);
    }
  }
}

}  // namespace mlp::datasets
