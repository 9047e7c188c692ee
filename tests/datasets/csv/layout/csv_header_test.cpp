// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/layout/csv_header.hpp"

#include <doctest/doctest.h>

namespace mlp::datasets::detail {

TEST_SUITE("datasets/csv/layout/csv_header") {
  TEST_CASE("takes for a name only what cannot be a number or missing") {
    for (const char* const text : {"setosa", "Versicolor", "e5", "x"}) {
      CHECK(datasets::starts_as_name(text));
    }
    for (const char* const text : {"", "1a", "-x", ".x", "NA", "nan", "Inf",
                                   "infinity", "@", "[", "`", "{", "\xE9"}) {
      CHECK_FALSE(datasets::starts_as_name(text));
    }
  }

  TEST_CASE("looks at fields as a reader of numbers would") {
    CHECK(look_of_field("1e3") == FieldLook::kNumber);
    CHECK(look_of_field("") == FieldLook::kUnknown);
    CHECK(look_of_field("na") == FieldLook::kUnknown);
    CHECK(look_of_field("?") == FieldLook::kUnknown);
    CHECK(look_of_field("N/A") == FieldLook::kUnknown);
    CHECK(look_of_field("+Infinity") == FieldLook::kUnknown);
    CHECK(look_of_field("1e400") == FieldLook::kUnknown);
    CHECK(look_of_field("+-1") == FieldLook::kName);
    CHECK(look_of_field("-.5.") == FieldLook::kNumberLike);
    CHECK(look_of_field("-") == FieldLook::kName);
    CHECK(look_of_field("nano") == FieldLook::kName);
    CHECK(look_of_field("?") == FieldLook::kUnknown);
    CHECK(look_of_field("n/a") == FieldLook::kUnknown);
    CHECK(look_of_field("Null") == FieldLook::kUnknown);
    CHECK(look_of_field("3,14") == FieldLook::kUnknown);
  }

  TEST_CASE("finds the usual names of labels in their order and any case") {
    CHECK(find_usual_label({"x", "Species"}) == 1);
    CHECK(find_usual_label({"target", "CLASS", "x"}) == 1);
    CHECK(find_usual_label({"species", "target", "class", "label"}) == 3);
    CHECK(find_usual_label({"labels", "classes"}) == -1);
  }

  TEST_CASE("sniffs the delimiter that occurs most often in the first record") {
    CHECK(sniff_delimiter("a,b,c\n1;2;3;4;5") == ',');
    CHECK(sniff_delimiter("a;b;c,d\n") == ';');
    CHECK(sniff_delimiter("a\tb\tc\n") == '\t');
    CHECK(sniff_delimiter("5,1;3\n") == ';');
    CHECK(sniff_delimiter("a\n1,2") == ',');
    CHECK(sniff_delimiter("\"a,b,c\nd,e\";x;y\n") == ';');
  }

  TEST_CASE(
      "takes no decimal comma for the delimiter of a header of one name") {
    CHECK(sniff_delimiter("temp\n10,5\n20,5\n", ',') == ';');
    CHECK(sniff_delimiter("temp,day\n10,5\n", ',') == ',');
  }

  TEST_CASE("sniffs spaces only between numbers and where nothing else is") {
    CHECK(sniff_delimiter("a b\n1 2\n") == ' ');
    CHECK(sniff_delimiter("a b\n\"1\" 2 3\n") == ' ');
    CHECK(sniff_delimiter("a b\nc d\n") == ',');
    CHECK(sniff_delimiter("a b\n1\n") == ',');
    CHECK(sniff_delimiter("a b,c\n1 2,3\n") == ',');
    CHECK(sniff_delimiter("\n\na;b\n") == ';');
  }

  TEST_CASE("sniffs a bar only where there is no other delimiter") {
    CHECK(sniff_delimiter("a|b|c\n") == '|');
    CHECK(sniff_delimiter("a|b|c,d\n") == ',');
    CHECK(sniff_delimiter("a\n") == ',');
  }

  TEST_CASE("takes commas between semicolons for decimal commas") {
    CHECK(sniff_delimiter("3,14;2,71\n") == ';');
    CHECK(sniff_delimiter("3,14; 2,71;x\r\n") == ';');
    CHECK(sniff_delimiter("1,2;3,4,x\n") == ',');
  }
}

}  // namespace mlp::datasets::detail
