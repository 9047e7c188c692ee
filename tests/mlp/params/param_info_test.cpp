// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/param_info.hpp"

#include <doctest/doctest.h>

namespace mlp::detail {

namespace {

constexpr ParamInfo kMomentum =
    number_param<&Params::momentum, at_least(0).and_below(1)>(
        "momentum", "--momentum", "Is kept.", "0.9", Stored::kWhenSet);

}  // namespace

TEST_SUITE("mlp/params/param_info") {
  TEST_CASE("makes checks and sentences of a number from its interval") {
    Params params;

    CHECK(kMomentum.interval == "a number >= 0 and < 1");
    CHECK(kMomentum.type == "number");
    CHECK(*kMomentum.bounds == at_least(0).and_below(1));
    CHECK(kMomentum.parse(params, "0.5"));
    CHECK(kMomentum.is_valid(params));
    CHECK(kMomentum.format(params) == "0.5");
    params.momentum = 1.0;
    CHECK_FALSE(kMomentum.is_valid(params));
  }

  TEST_CASE("tells integers by the member's type") {
    constexpr ParamInfo kPatience =
        number_param<&Params::patience, at_least(1), kClipsNothing>(
            "patience", "--patience", "Waits.", "5", Stored::kWhenSet, "share");
    Params params;

    CHECK(kPatience.interval == "an integer >= 1; 0 clips nothing");
    CHECK(kPatience.type == "share");
    CHECK_FALSE(kPatience.parse(params, "1.5"));
    CHECK(kPatience.format(params) == "10");
  }

  TEST_CASE("takes no value for a switch") {
    constexpr ParamInfo kNesterov = switch_param<&Params::nesterov>(
        "nesterov", "--nesterov", "Looks ahead.", Stored::kWhenSet);

    CHECK(kNesterov.type.empty());
    CHECK(kNesterov.interval == "true or false");
  }

  TEST_CASE("names the choices of a name") {
    constexpr ParamInfo kTask = choice_param<&Params::task, kTaskNames>(
        "task", "--task", "What labels are.", "regression", Stored::kNever);
    Params params;

    CHECK(kTask.interval == "classification or regression");
    CHECK(kTask.choices.size() == kTaskNames.size());
    CHECK_FALSE(kTask.is_list);
    CHECK(kTask.parse(params, "regression"));
    CHECK(params.task == Task::kRegression);
    CHECK(kTask.format(params) == "\"regression\"");
  }
}

}  // namespace mlp::detail
