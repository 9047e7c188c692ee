// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../datasets/csv/expansion/text_vector.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::datasets::detail {

namespace {

/// The elements of a vector; "none" for another text.
std::string elements(const std::string& text) {
  const auto vector = TextVector::read(text);
  if (!vector) return "none";
  std::string all;
  vector->append(all, '|');
  return all;
}

}  // namespace

TEST_SUITE("datasets/csv/expansion/text_vector") {
  TEST_CASE("reads a dense vector as Spark writes it, with blanks or not") {
    CHECK(elements("[1.0,2.0,-3.5E-7]") == "1.0|2.0|-3.5E-7");
    CHECK(elements(" [ 1 , NaN ] ") == "1|NaN");
    CHECK(elements("[7]") == "7");
    CHECK(TextVector::read("[]")->size() == 0);
  }

  TEST_CASE("reads a sparse vector, whose other elements are 0") {
    CHECK(elements("(5,[0,3],[1.0,2.0])") == "1.0|0|0|2.0|0");
    CHECK(elements("( 3 , [ 2 ] , [ -1.5 ] )") == "0|0|-1.5");
    CHECK(elements("(2,[],[])") == "0|0");
  }

  TEST_CASE("takes no other text, and no wrong index, for a vector") {
    for (const char* text :
         {"", "1.0", "[1.0", "[a,b]", "[1.0]x", "[1.0,]", "(3,[0],[1.0]",
          "(3,[0,1],[1.0])", "(3,[3],[1.0])", "(3,[-1],[1.0])",
          "(3,[1,0],[1.0,2.0])", "(3,[0],[x])", "(-1,[],[])", "(a,[],[])",
          "(3)", "()", "(9999999999,[],[])", "(3,[0][1.0])"}) {
      CAPTURE(text);
      CHECK(elements(text) == "none");
    }
  }
}

}  // namespace mlp::datasets::detail
