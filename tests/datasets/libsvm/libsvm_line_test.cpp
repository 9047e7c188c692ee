// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string_view>

#include "../../../datasets/libsvm/libsvm_piece.hpp"

namespace mlp::datasets::detail {

TEST_SUITE("datasets/libsvm/libsvm_line") {
  TEST_CASE("takes tokens between spaces and tabs and a CR") {
    std::string_view line = " 1\t2:3  4:5\r";

    CHECK(take_token(line) == "1");
    CHECK(take_token(line) == "2:3");
    CHECK(take_token(line) == "4:5");
    CHECK(take_token(line).empty());
    CHECK(take_token(line).empty());
  }

  TEST_CASE("takes lines with and without an end") {
    std::string_view text = "a\n\nb";

    CHECK(take_line(text) == "a");
    CHECK(take_line(text).empty());
    CHECK(take_line(text) == "b");
    CHECK(text.empty());
  }

  TEST_CASE("tells comments and empty lines from instances") {
    CHECK(is_libsvm_comment(" # 1 1:2"));
    CHECK(is_libsvm_comment("\t \r"));
    CHECK_FALSE(is_libsvm_comment("1 # 2"));
  }

  TEST_CASE("finds the last index of a line") {
    CHECK(last_libsvm_index("1 2:3 14:5") == "14");
    CHECK(last_libsvm_index("7:") == "7");
    CHECK(last_libsvm_index("1 2").data() == nullptr);
  }
}

}  // namespace mlp::datasets::detail
