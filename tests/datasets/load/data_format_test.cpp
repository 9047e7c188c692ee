// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/data_format.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace mlp::datasets::detail;

TEST_SUITE("datasets/load/data_format") {
  TEST_CASE("takes the ending of the name before the text") {
    CHECK(is_libsvm_file("a.svm", "1,2\n"));
    CHECK(is_libsvm_file("a.LIBSVM.gz", "1,2\n"));
    CHECK_FALSE(is_libsvm_file("a.csv", "1 1:2\n"));
    CHECK(is_npy_file("a.npy", "1,2\n"));
  }

  TEST_CASE("finds LIBSVM by the first line with more than a label") {
    CHECK(is_libsvm_file("a", "1\n-1 3:0.5\n"));
    CHECK_FALSE(is_libsvm_file("a", "1\n1,2\n"));
  }

  TEST_CASE("tells CSV from compressed, binary and foreign files") {
    CHECK(is_plain_csv("a.csv", "1,2\n3,4\n"));
    CHECK(is_plain_csv("a", "x y,z\n1,2\n"));
    CHECK_FALSE(is_plain_csv("a.csv", "\x1F\x8B\x08"));
    CHECK_FALSE(is_plain_csv("a.csv", "\x93NUMPY"));
    CHECK_FALSE(is_plain_csv("a.csv", std::string_view("\0\0\x08\x01", 4)));
    CHECK_FALSE(is_plain_csv("a.csv", "PAR1"));
    CHECK_FALSE(is_plain_csv("a", "1 1:2\n"));
  }
}
