// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/data/data_file.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::cli {

TEST_SUITE("cli/data/data_file") {
  TEST_CASE("advises flags that help, and none for numbers and labels") {
    const auto advise = [](const std::string& sentence) {
      return with_encoding_advice(sentence, ReadFor::kTraining);
    };

    CHECK(
        advise("f.csv:1:1: expected a number in column 'c', got 'red'") ==
        "f.csv:1:1: expected a number in column 'c', got 'red'; if the column "
        "has categories, add --one-hot auto");
    for (const char* same :
         {"f.csv:1:1: expected a number in column 1, got '5cm'",
          "f.csv:1:1: expected a number in column 1, got 'inf'"}) {
      CHECK(advise(same) == same);
    }
    const std::string label =
        "f.csv:1:1: expected a label in column 1, got an empty field; fill in "
        "the missing value or remove the row";
    CHECK(advise(label) == label + "; or add --missing drop");
  }
}

}  // namespace mlp::cli
