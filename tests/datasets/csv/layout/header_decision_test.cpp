// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/header_decision.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using mlp::Index;
using mlp::datasets::CsvGuesses;
using mlp::datasets::CsvScanner;
using namespace mlp::datasets::detail;

namespace {

/// Decides for a text whose columns are features except the label.
bool is_header(const std::string& text, Index label, CsvGuesses& guesses,
               bool may_have_texts = false, const CsvDialect& dialect = {}) {
  CsvScanner scanner(text, dialect.delimiter, "f.csv");
  REQUIRE(scanner.next_record());
  const CsvColumns columns(read_texts(scanner), "f.csv");
  std::vector<bool> is_feature(columns.cells().size(), true);
  if (label >= 0) is_feature[static_cast<std::size_t>(label)] = false;
  return HeaderDecision(text, dialect, columns, is_feature, label,
                        may_have_texts)
      .is_header(guesses);
}

bool is_header(const std::string& text, Index label) {
  CsvGuesses guesses;
  return is_header(text, label, guesses);
}

/// Decides for a text whose features may be texts.
bool is_text_header(const std::string& text, Index label,
                    const CsvDialect& dialect = {}) {
  CsvGuesses guesses;
  return is_header(text, label, guesses, true, dialect);
}

}  // namespace

TEST_SUITE("datasets/csv/layout/header_decision") {
  TEST_CASE("takes a row with a name among its features for a header") {
    CHECK(is_header("length,width,species\n", 2));
    CHECK(is_header("1,width,2\n", 2));
    CHECK(is_header(",x,kind\n", 2));
    CHECK(is_header("1st,2nd,kind\n", 2));
    CHECK(is_header("a,NA,,kind\n1,2,3,x\n", 3));
    CHECK(is_header("1st,,3rd,kind\n1,2,3,x\n", 3));
  }

  TEST_CASE("takes a row of numbers for data whatever its label is") {
    CHECK_FALSE(is_header("5.1,3.5,setosa\n4.9,3.0,virginica\n", 2));
    CHECK_FALSE(is_header("setosa,5.1,3.5\n", 0));
    CHECK_FALSE(is_header("-1,+2,1e-400\n", -1));
  }

  TEST_CASE("takes a row with True or False for data") {
    CHECK_FALSE(is_header("red,True,5\nblue,False,3\n", 2));
    CHECK(is_header("flag,size,kind\nTrue,1,x\n", 2));
    CHECK(is_header("flag,kind\nTrue,x\nFalse,y\n", 1));
  }

  TEST_CASE("takes a row with broken numbers for data to be refused") {
    for (const char* const broken :
         {"", "NA", "nan", "-inf", "0x10", "1e400", "3.5x", "?", "null"}) {
      CHECK_FALSE(is_header("5.1," + std::string(broken) + ",0\n", 2));
    }
  }

  TEST_CASE("takes texts that occur again in their column for data") {
    CHECK_FALSE(is_header("red,1,x\nblue,2,y\nred,3,x\n", 2));
    CHECK(is_header("colour,size,x\nblue,big,y\nred,small,x\n", 2));
    CHECK_FALSE(is_header("p,x,s\ne,y,s\n", 0));
  }

  TEST_CASE("takes texts beside numbers that are no names for data") {
    CHECK_FALSE(is_header("T,2,8,3\nI,5,12,3\n", -1));
    CHECK_FALSE(is_header("T,0.5,8\nI,5,12\n", -1));
    CHECK(is_header("country,2019,2020\nFrance,5,12\n", -1));
  }

  TEST_CASE("reports numbers among the names of a header") {
    CsvGuesses odd;
    CsvGuesses years;

    CHECK(is_header("a,7,2.5\n1,2,3\n", -1, odd));
    CHECK(is_header("a,2019,2020\n1,2,3\n", -1, years));

    CHECK(odd.number_as_name == 2);
    CHECK_FALSE(years.number_as_name.has_value());
  }

  TEST_CASE("takes names above texts for a header if only these repeat") {
    CHECK(is_text_header("age,color,y\n39,red,a\n", 2));
    CHECK(is_text_header("color,size,y\nred,S,a\nblue,M,b\nred,L,a\n", 2));
    CHECK(is_text_header(",color,size,y\n0,red,S,a\n1,red,M,b\n", 3));
    CHECK(is_text_header("color,y\nred,1\nblue,0\n", 1));
    CHECK(is_text_header("cabin,sex,y\n1st,f,a\n2nd,m,b\n3rd,f,a\n", 2));
    CHECK(is_text_header("color,size,y\n", 2));
  }

  TEST_CASE("takes texts for data if they repeat or are beside values") {
    CHECK_FALSE(is_text_header("red,S,a\nblue,M,b\nred,L,a\n", 2));
    CHECK_FALSE(is_text_header("red,5,a\nblue,6,b\ngreen,7,a\n", 2));
    CHECK_FALSE(is_text_header("red,?,a\nblue,M,b\ngreen,L,a\n", 2));
    CHECK_FALSE(is_text_header("1st,a\n2nd,b\n1st,c\n", 1));
    CHECK_FALSE(is_text_header("39,red,a\n50,blue,b\n", 2));
  }

  TEST_CASE(
      "takes names and consecutive numbers above other values for names") {
    CsvGuesses guesses;

    CHECK(is_header("area,2020,wage\nN,1.2,up\nS,0.2,low\nN,1.1,up\nS,3,low\n",
                    2, guesses, true));
    CHECK(guesses.number_as_name == 1);
    CHECK(is_text_header("area,2019,2020,y\nN,1,2,a\nS,3,4,b\nN,5,6,a\n", 3));
    CHECK(is_text_header("area,2,y\nN,1,a\nS,3,b\nN,5,a\n", 2));
    CHECK(is_text_header("area,2020,y\nN,1,a\nS,3,b\nN,5,c\n", 2));
  }

  TEST_CASE("takes texts beside numbers like those below for data") {
    CHECK_FALSE(is_text_header("W,2,c\nN,1,a\nS,3,b\nN,5,d\n", 2));
    CHECK_FALSE(is_text_header("W,2020,a\nN,1,a\nS,3,b\nN,5,a\n", 2));
    CHECK_FALSE(is_text_header("N,2020,7,c\nN,1,2,a\nS,3,4,b\nN,5,6,a\n", 3));
    CHECK_FALSE(is_text_header("W,?,2,c\nN,1,1,a\nS,3,3,a\nQ,5,5,a\n", 3));
  }

  TEST_CASE("refuses to guess if the label would be a class of one row") {
    for (const char* text : {"W,2020,7,c\nN,1,2,a\nS,3,4,b\nN,5,6,a\n",
                             "Z,3,4,c\nA,1,2,a\nB,3,5,b\nC,5,6,a\n",
                             "W,2010,2015,c\nN,1,2,a\nS,3,4,b\nQ,5,6,a\n"}) {
      CHECK_THROWS_WITH_AS(
          is_text_header(text, 3),
          "f.csv:1:1: the first row has names and numbers, and no label below "
          "it is 'c', so it may be a header or data; expected to be told which "
          "one it is",
          mlp::DataError);
    }
  }

  TEST_CASE("a number with a point says nothing where decimals have commas") {
    CHECK_FALSE(is_text_header("v1;1;u\n1.2;2;v\nv1;3;u\n", 2, {';', ',', {}}));
  }

  TEST_CASE("reports a number among the names of a header") {
    CsvGuesses guesses;
    CHECK(is_header("size,34,y\n1.5,2,a\n", 2, guesses));
    CHECK(guesses.number_as_name == 1);
  }

  TEST_CASE("takes years above texts that do not occur again for names") {
    CHECK(is_text_header("land,2019,2020,y\nA,1,2,a\nB,3,4,b\nC,5,6,a\n", 3));
    CHECK(is_text_header("land,2019,2020,y\nA,1,2,7\nB,3,4,8\nC,5,6,9\n", 3));
    CHECK(is_text_header("land,2019,2020\nA,1,2\nB,3,4\n", -1));
    CHECK(is_text_header("land,2019,2020,2021\nA,1,2,7\nB,3,4,8\n", 3));
    CHECK(is_text_header("2018,land,2019,2020\n7,A,1,2\n8,B,3,4\n", 0));
    CHECK_FALSE(is_text_header("Z,7,8,a\nA,1,2,a\nB,3,4,b\nC,5,6,a\n", 3));
    CHECK_FALSE(is_text_header("Z,7,8,c\nA,1,2,a\nB,3,4,b\nC,5,6,d\n", 3));
  }

  TEST_CASE("takes a name above a number with commas for a name") {
    CHECK(is_text_header("price,y\n\"1,5\",a\n\"2,5\",b\n", 1));
    CHECK(is_text_header("price,y\n\"1,234\",a\n\"2,500\",b\n", 1));
    CHECK_FALSE(is_text_header("\"1,5\",a\n\"2,5\",b\n", 1));
  }

  TEST_CASE("refuses to guess if no text repeats") {
    CHECK_THROWS_WITH_AS(
        is_text_header("p,x,s\ne,y,s\n", 2),
        "f.csv:1:1: the first row has only texts, and none of the texts below "
        "them occurs again, so it may be a header or data; expected to be told "
        "which one it is",
        mlp::DataError);
  }

  TEST_CASE("takes 0, 1, 2, ... for a header if its label is not one below") {
    CsvGuesses guesses;

    CHECK(is_header("0,1,2,3\n5,6,7,0\n8,9,1,1\n", 3, guesses));
    CHECK(guesses.is_number_header);
    CHECK(is_header("1,2,3\n5,6,0\n8,9,1\n", 2));
    CHECK(is_header("0,1,kind\n5,6,a\n8,9,a\n", 2));
    CHECK(is_header(",0,1,2\n0,5,6,0\n1,8,9,1\n", 3));
    CHECK(is_header("0,1,2\n7,5,6\n7,8,9\n", 0));
  }

  TEST_CASE("takes 0, 1, 2, ... for data if its label occurs below") {
    CsvGuesses guesses;

    CHECK_FALSE(is_header("0,1,2,3\n5,6,7,3\n", 3, guesses));
    CHECK(guesses.is_number_row);
    CHECK_FALSE(is_header("0,1,a\n5,6,a\n", 2));
    CHECK_FALSE(is_header("0,1,2\n", 2));
    CHECK_FALSE(is_header("0,1,2,3\n5,6,7,8\n", -1));
  }

  TEST_CASE("takes other numbers for data though no label is like theirs") {
    CHECK_FALSE(is_header("0,2,9\n5,6,0\n8,9,1\n", 2));
    CHECK_FALSE(is_header("0,1,9\n5,6,0\n8,9,1\n", 2));
    CHECK_FALSE(is_header("0,9\n5,0\n8,1\n", 1));
    CHECK_FALSE(is_header("0,a\n1,b\n2,c\n", 1));
    CHECK_FALSE(is_header("0.0,1.0,2\n5,6,0\n8,9,1\n", 2));
  }
}
