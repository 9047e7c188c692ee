// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/source_file.hpp"

#include <doctest/doctest.h>

#include <vector>

using mlp::datasets::find_file;
using mlp::datasets::SourceFile;

TEST_SUITE("datasets/reading/source_file") {
  TEST_CASE("finds the file of a line that is counted over all files") {
    const std::vector<SourceFile> files{
        {"a", 0}, {"b", 3}, {"empty", 5}, {"c", 5}};

    CHECK(find_file(files, 1) == 0);
    CHECK(find_file(files, 3) == 0);
    CHECK(find_file(files, 4) == 1);
    CHECK(find_file(files, 6) == 3);
    CHECK(find_file({}, 6) == 0);
  }
}
