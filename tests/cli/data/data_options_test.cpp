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

}  // namespace

TEST_SUITE("cli/data/data_options") {
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
        static_cast<void>(
            read({"--label-kind", "name", "--task", "regression"})),
        "--label-kind: needs classes, which --task regression does not have; "
        "use only one of them",
        ParamError);
  }

  TEST_CASE("checks the layers against the labels of a regression") {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(read(
            {"--layers", "3,1", "--label", "a,b", "--task", "regression"})),
        "--layers: layers must end with 2 for task regression with these "
        "labels; got [3, 1]",
        ParamError);
  }
}

}  // namespace mlp::cli
