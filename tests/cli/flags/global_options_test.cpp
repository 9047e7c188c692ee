// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/flags/global_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../cli/flags/machine.hpp"
#include "../../../core/error.hpp"

namespace mlp::cli {

namespace {

GlobalOptions read(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"evaluate", "model", "data"});
  return read_global_options(parse_command_line(std::move(flags)));
}

}  // namespace

TEST_SUITE("cli/flags/global_options") {
  TEST_CASE("has the defaults of the help") {
    const GlobalOptions options = read({});

    CHECK_FALSE(options.is_json);
    CHECK_FALSE(options.console.is_quiet);
    CHECK_FALSE(options.console.is_verbose);
    CHECK(options.num_threads == count_usable_threads());
    CHECK(options.progress == ProgressMode::kAuto);
  }

  TEST_CASE("reads each flag into its own member") {
    CHECK(read({"--json"}).is_json);
    CHECK(read({"--quiet"}).console.is_quiet);
    CHECK_FALSE(read({"--quiet"}).console.is_verbose);
    CHECK(read({"-v"}).console.is_verbose);
    CHECK_FALSE(read({"-v"}).console.is_quiet);
    CHECK(read({"--threads", "7"}).num_threads == 7);
    CHECK(read({"--progress", "always"}).progress == ProgressMode::kAlways);
    CHECK(read({"--progress", "never"}).progress == ProgressMode::kNever);
    CHECK(read({"--backend", "reference"}).backend.name == "reference");
  }

  TEST_CASE("refuses what cannot be, and what is not built") {
    CHECK_THROWS_AS(read({"-q", "-v"}), ParamError);
    CHECK_THROWS_AS(read({"--threads", "0"}), ParamError);
    CHECK_THROWS_AS(read({"--threads", "1025"}), ParamError);
    CHECK_THROWS_AS(read({"--device", "cuda:-1"}), ParamError);
    CHECK_THROWS_AS(read({"--device", "tpu"}), ParamError);
    CHECK_THROWS_AS(read({"--device", "cuda:999"}), Error);
    CHECK_NOTHROW(read({"--device", "cpu"}));
  }
}

}  // namespace mlp::cli
