// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/flag_needs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../cli/train/train_flags.hpp"
#include "../../../core/error.hpp"
#include "../command_words.hpp"

namespace mlp::cli {

namespace {

using test::with;
using test::Words;

std::vector<std::string> notes_of(Words flags) {
  flags.insert(flags.begin(), {"train", "d.csv"});
  return read_train_options(parse_command_line(std::move(flags))).notes;
}

void check_refused(const Words& flags, const std::string& sentence) {
  const std::string expected = flags.front() + ": " + sentence;
  CAPTURE(expected);
  CHECK_THROWS_WITH_AS(notes_of(flags), expected.c_str(), ParamError);
}

/// Flags that only matter to several ranks, with values.
const std::vector<Words> kRankFlags{{"--timeline", "t.json"},
                                    {"--rank-timeout", "5"},
                                    {"--wire", "float16"},
                                    {"--exchange-plan", "threads=0"},
                                    {"--autotune"}};

}  // namespace

TEST_SUITE("cli/train/flag_needs") {
  TEST_CASE("rejects intervals of classes and sets of numbers") {
    check_refused({"--interval", "0.9"},
                  "needs numbers to predict; add --task regression, or use "
                  "--coverage for sets of classes");
    check_refused({"--coverage", "0.9", "--task", "regression"},
                  "needs classes, which --task regression does not have; use "
                  "--interval");
  }

  TEST_CASE("notes that another format has no prediction sets") {
    CHECK(notes_of({"--coverage", "0.9"}) == Words{});
    CHECK(notes_of({"--coverage", "0.9", "--for", "spark"}) ==
          Words{"--coverage is for the model file of mlp only; files of the "
                "format of --for have no prediction intervals and sets"});
  }

  TEST_CASE("rejects flags of ranks without ranks") {
    for (const Words& flags : kRankFlags) {
      check_refused(with(flags, {"--solver", "adam"}),
                    "needs several ranks; add --ranks N or --rendezvous, or "
                    "start the program with mpirun");
      CHECK(notes_of(with(flags, {"--solver", "adam", "--ranks", "1"})) ==
            Words{});
    }
  }

  TEST_CASE("rejects groups without folds or parts") {
    const Words group = {"--group", "patient"};
    for (const Words& single :
         {Words{"--effort", "quick"}, Words{"--layers", "4,5,3"}}) {
      check_refused(with(group, single),
                    "needs parts in which the rows of a group stay together, "
                    "and one training has none; leave it out, or add --folds N "
                    "or --split");
      CHECK(notes_of(with(with(group, single), {"--folds", "3"})) == Words{});
      CHECK(notes_of(with(with(group, single), {"--split", "2,1"})) == Words{});
    }
    CHECK(notes_of(group) == Words{});
    CHECK_THROWS_WITH_AS(
        notes_of({"--group", "patient", "--split", "2,1", "--stratify"}),
        "--group: cannot be combined with --stratify; use only one of them",
        ParamError);
  }

  TEST_CASE("rejects flags of mini-batches with other solvers") {
    for (const Words& flags :
         {Words{"--wire", "float16"}, Words{"--exchange-plan", "threads=0"},
          Words{"--autotune"}, Words{"--batch-size", "8"}}) {
      for (const char* const solver : {"l-bfgs", "gd"}) {
        check_refused(with(flags, {"--ranks", "2", "--solver", solver}),
                      "needs mini-batches, which l-bfgs and gd do not have; "
                      "add --solver sgd, adam or adamw");
      }
      CHECK_NOTHROW(notes_of(with(flags, {"--ranks", "2", "--solver", "sgd"})));
    }
  }

  TEST_CASE("rejects a history of a solver that has none") {
    check_refused({"--history-size", "5", "--solver", "gd"},
                  "needs --solver l-bfgs; the others have no history");
    CHECK(notes_of({"--history-size", "5"}) == Words{});
  }

  TEST_CASE("rejects an initialisation of weights that a file gives") {
    check_refused({"--init", "he-normal", "--initial-weights", "w.json"},
                  "cannot be combined with --initial-weights, which gives all "
                  "weights; use only one of them");
  }

  TEST_CASE("rejects patience without rows for validation") {
    check_refused({"--patience", "5"},
                  "needs rows for validation; add --validation with a share or "
                  "a file");
    CHECK(notes_of({"--patience", "5", "--validation", "0.2"}) == Words{});
  }

  TEST_CASE("notes parameters of Spark that the solver does not use") {
    CHECK(notes_of({"--step-size", "0.1", "--solver", "l-bfgs"}) ==
          Words{"--step-size has no effect with solver l-bfgs, which searches "
                "for the size of each step"});
    for (const Words& flags :
         {Words{"--tol", "0.1"}, Words{"--block-size", "8"},
          Words{"--partitions", "2"}, Words{"--partition-sizes", "2,2"}}) {
      CHECK(notes_of(with(flags, {"--solver", "adam"})) ==
            Words{flags.front() + " has no effect with mini-batches; only "
                                  "l-bfgs and gd use it"});
      CHECK(notes_of(with(flags, {"--solver", "gd"})) == Words{});
    }
  }

  TEST_CASE("notes a scale that standardising removes") {
    CHECK(notes_of({"--standardize", "--scale", "2"}) ==
          Words{"--scale has no effect with --standardize, which removes any "
                "earlier scaling"});
  }
}

}  // namespace mlp::cli
