// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/flag_reader.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/spark_random.hpp"

namespace mlp::cli {

namespace {

CommandLine parse(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"train", "data.csv"});
  return parse_command_line(std::move(flags));
}

void check_refused(const std::vector<std::string>& flags,
                   const std::function<void(const FlagReader&)>& read,
                   const std::string& sentence) {
  const CommandLine line = parse(flags);
  CHECK_THROWS_WITH_AS(read(FlagReader(line)), sentence.c_str(), ParamError);
}

}  // namespace

TEST_SUITE("cli/flags/flag_reader") {
  TEST_CASE("returns the default of a flag that was not given") {
    const CommandLine line = parse({});
    const FlagReader flags(line);

    CHECK_FALSE(flags.has("split"));
    CHECK(flags.text("label").empty());
    CHECK(flags.text("out", "-") == "-");
    CHECK(flags.number("scale", above(0), 1.5) == 1.5);
    CHECK(flags.integer("ranks", at_least(1).and_at_most(8), 3) == 3);
    CHECK(flags.choice("seed-hash", kSeedHashNames, SeedHash::kSpark2) ==
          SeedHash::kSpark2);
    CHECK_FALSE(flags.parsed("partitions", parse_int, "").has_value());
  }

  TEST_CASE("reads values as their types") {
    const CommandLine line = parse(
        {"--scale", "2.5", "--ranks", "4", "--label", "y", "--seed-hash", "2"});
    const FlagReader flags(line);

    CHECK(flags.has("scale"));
    CHECK(flags.text("label") == "y");
    CHECK(flags.number("scale", above(0), 1.0) == 2.5);
    CHECK(flags.integer("ranks", at_least(1).and_at_most(8), 1) == 4);
    CHECK(flags.choice("seed-hash", kSeedHashNames, SeedHash::kSpark3) ==
          SeedHash::kSpark2);
    CHECK(flags.parsed("ranks", parse_int, "") == 4);
  }

  TEST_CASE("names the flag of a value outside of its interval") {
    check_refused(
        {"--scale", "0"},
        [](const FlagReader& flags) {
          static_cast<void>(flags.number("scale", above(0), 1.0));
        },
        "--scale: must be a number > 0; got '0'");
    check_refused(
        {"--ranks", "9"},
        [](const FlagReader& flags) {
          static_cast<void>(
              flags.integer("ranks", at_least(1).and_at_most(8), 1));
        },
        "--ranks: must be an integer from 1 to 8; got '9'");
  }

  TEST_CASE("lists the names that a flag accepts") {
    check_refused(
        {"--seed-hash", "4"},
        [](const FlagReader& flags) {
          static_cast<void>(flags.choice("seed-hash", kSeedHashNames,
                                         SeedHash::kSpark3, ", a version"));
        },
        "--seed-hash: must be 3 or 2, a version; got '4'");
  }

  TEST_CASE("refuses two flags that exclude each other") {
    check_refused(
        {"--label", "y", "--labels", "f"},
        [](const FlagReader& flags) { flags.refuse_both("label", "labels"); },
        "--label: cannot be combined with --labels; use only one of them");

    const CommandLine line = parse({"--label", "y"});
    CHECK_NOTHROW(FlagReader(line).refuse_both("label", "labels"));
  }
}

}  // namespace mlp::cli
