// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/data/data_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp::cli {

namespace {

DataOptions read(std::vector<std::string> words) {
  words.insert(words.begin(), {"inspect", "rows.csv"});
  return read_data_options(parse_command_line(std::move(words)));
}

datasets::CsvOptions read_csv(std::vector<std::string> words) {
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

TEST_SUITE("cli/data/data_options") {
  TEST_CASE("leaves the defaults without flags") {
    const datasets::CsvOptions options = read_csv({});

    CHECK(options.header == datasets::HeaderRule::kAuto);
    CHECK(options.delimiter == 0);
    CHECK(options.features.empty());
  }

  TEST_CASE("reads lists of names and indices, with quotes around commas") {
    CHECK(read_csv({"--features", "a, b c ,-2"}).features ==
          Texts{"a", "b c", "-2"});
    CHECK(read_csv({"--ignore", "\"a,b\",\"say \"\"c\"\"\""}).ignored ==
          Texts{"a,b", "say \"c\""});
    CHECK(read_csv({"--keep", "id"}).kept == Texts{"id"});
  }

  TEST_CASE("reads the header rule and the delimiter") {
    CHECK(read_csv({"--header", "no"}).header == datasets::HeaderRule::kNo);
    CHECK(read_csv({"--delimiter", "tab"}).delimiter == '\t');
    CHECK(read_csv({"--delimiter", "\\t"}).delimiter == '\t');
    CHECK(read_csv({"--delimiter", ";"}).delimiter == ';');
  }

  TEST_CASE("refuses lists with gaps, open quotes and several lines") {
    for (const char* const list : {",", "a,", "\"a", "a\nb", "a,,b"}) {
      CHECK_THROWS_AS(read_csv({"--features", list}), ParamError);
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
    CHECK_THROWS_WITH_AS(read_encoding({"--missing", "zero"}),
                         "--missing: must be refuse, drop or mean; got 'zero'",
                         ParamError);
    for (const char* text : {",", "a,", "a,,b"}) {
      CHECK_FALSE(parse_one_hot(text).has_value());
    }
  }

  TEST_CASE("columns that are joined are read as they were") {
    const Texts names = {"a", "b,c", "say \"x\"", "d e"};

    CHECK(join_columns(names) == "a,\"b,c\",\"say \"\"x\"\"\",d e");
    CHECK(parse_columns(join_columns(names)) == names);
    CHECK(join_columns({}).empty());
  }

  TEST_CASE("divides --label into columns only for a regression") {
    const DataOptions one = read({"--label", "a,b"});
    CHECK(one.label == "a,b");
    CHECK(one.num_targets() == 0);

    const DataOptions two = read({"--label", "a,b", "--task", "regression"});
    CHECK(two.label.empty());
    CHECK(two.targets == std::vector<std::string>{"a", "b"});
  }

  TEST_CASE("refuses a label kind for a regression") {
    CHECK_THROWS_WITH_AS(
        read({"--label-kind", "name", "--task", "regression"}),
        "--label-kind: needs classes, which --task regression does not have; "
        "use only one of them",
        ParamError);
  }

  TEST_CASE("checks the layers against the labels of a regression") {
    CHECK_THROWS_WITH_AS(
        read({"--layers", "3,1", "--label", "a,b", "--task", "regression"}),
        "--layers: layers must end with 2 for task regression with these "
        "labels; got [3, 1]",
        ParamError);
  }
}

}  // namespace mlp::cli
