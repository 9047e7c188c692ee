// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/data/encoding_flags.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../cli/flags/command_line.hpp"
#include "../../../core/error.hpp"

namespace mlp::cli {

namespace {

EncodingFlags read(std::vector<std::string> words) {
  words.insert(words.begin(), {"train", "rows.csv"});
  const CommandLine line = parse_command_line(std::move(words));
  return read_encoding_flags(FlagReader(line));
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("cli/data/encoding_flags") {
  TEST_CASE("refuses texts and missing values by default") {
    const EncodingFlags flags = read({});

    CHECK_FALSE(flags.is_set());
    CHECK(flags.missing == datasets::MissingRule::kRefuse);
    CHECK(flags.unknown == datasets::UnknownRule::kRefuse);
  }

  TEST_CASE("reads rules and columns into the options of a reader") {
    datasets::CsvOptions csv;

    read({"--missing", "mean", "--one-hot", "color,auto,-2", "--unknown",
          "ignore"})
        .apply(csv);

    CHECK(csv.missing == datasets::MissingRule::kMean);
    CHECK(csv.one_hot.is_auto);
    CHECK(csv.one_hot.columns == Texts{"color", "-2"});
    CHECK(csv.unknown == datasets::UnknownRule::kIgnore);
  }

  TEST_CASE("refuses other rules and empty names") {
    CHECK_THROWS_WITH_AS(static_cast<void>(read({"--missing", "zero"})),
                         "--missing: must be refuse, drop or mean; got 'zero'",
                         ParamError);
    for (const char* text : {",", "a,", "a,,b"}) {
      CHECK_FALSE(parse_one_hot(text).has_value());
    }
  }

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
