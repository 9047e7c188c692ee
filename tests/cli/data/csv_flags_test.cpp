// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/data/csv_flags.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp::cli {

namespace {

datasets::CsvOptions read(std::vector<std::string> words) {
  words.insert(words.begin(), {"predict", "model.json", "data.csv"});
  const CommandLine line = parse_command_line(std::move(words));
  return read_csv_flags(FlagReader(line));
}

datasets::CsvOptions read_encoding(std::vector<std::string> words) {
  words.insert(words.begin(), {"train", "rows.csv"});
  const CommandLine line = parse_command_line(std::move(words));
  datasets::CsvOptions csv;
  read_encoding_flags(FlagReader(line), csv);
  return csv;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("cli/data/csv_flags") {
  TEST_CASE("leaves the defaults without flags") {
    const datasets::CsvOptions options = read({});

    CHECK(options.header == datasets::HeaderRule::kAuto);
    CHECK(options.delimiter == 0);
    CHECK(options.features.empty());
  }

  TEST_CASE("reads lists of names and indices, with quotes around commas") {
    CHECK(read({"--features", "a, b c ,-2"}).features ==
          Texts{"a", "b c", "-2"});
    CHECK(read({"--ignore", "\"a,b\",\"say \"\"c\"\"\""}).ignored ==
          Texts{"a,b", "say \"c\""});
    CHECK(read({"--keep", "id"}).kept == Texts{"id"});
  }

  TEST_CASE("reads the header rule and the delimiter") {
    CHECK(read({"--header", "no"}).header == datasets::HeaderRule::kNo);
    CHECK(read({"--delimiter", "tab"}).delimiter == '\t');
    CHECK(read({"--delimiter", "\\t"}).delimiter == '\t');
    CHECK(read({"--delimiter", ";"}).delimiter == ';');
  }

  TEST_CASE("refuses lists with gaps, open quotes and several lines") {
    for (const char* const list : {",", "a,", "\"a", "a\nb", "a,,b"}) {
      CHECK_THROWS_AS(static_cast<void>(read({"--features", list})),
                      ParamError);
    }
  }

  TEST_CASE("refuses texts and missing values by default") {
    const datasets::CsvOptions flags = read_encoding({});

    CHECK_FALSE(flags.one_hot.is_on());
    CHECK(flags.missing == datasets::MissingRule::kRefuse);
    CHECK(flags.unknown == datasets::UnknownRule::kRefuse);
  }

  TEST_CASE("reads the rules about values that are not numbers") {
    const datasets::CsvOptions csv =
        read_encoding({"--missing", "mean", "--one-hot", "color,auto,-2",
                       "--unknown", "ignore"});

    CHECK(csv.missing == datasets::MissingRule::kMean);
    CHECK(csv.one_hot.is_auto);
    CHECK(csv.one_hot.columns == Texts{"color", "-2"});
    CHECK(csv.unknown == datasets::UnknownRule::kIgnore);
  }

  TEST_CASE("refuses other rules and empty names of columns of categories") {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read_encoding({"--missing", "zero"})),
        "--missing: must be refuse, drop or mean; got 'zero'", ParamError);
    for (const char* text : {",", "a,", "a,,b"}) {
      CHECK_FALSE(parse_one_hot(text).has_value());
    }
  }
}

}  // namespace mlp::cli
