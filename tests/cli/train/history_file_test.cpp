// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/train/history_file.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "../../scratch_folder.hpp"
#include "../run_program.hpp"

namespace mlp::cli {

namespace {

using namespace test;

/// A row without its last field.
std::string without_seconds(const std::string& row) {
  return row.substr(0, row.rfind(',') + 1);
}

}  // namespace

TEST_SUITE("cli/train/history_file") {
  TEST_CASE("writes a row for each entry of the history") {
    const Vector weights;
    HistoryRecorder recorder;
    recorder.record({0, 2.0, 0.0, 1, weights});
    recorder.record({1, 1.5, 0.25, 3, weights});
    optim::Summary summary;
    summary.objective_history = {2.0, 1.5};
    summary.validation_history = {0.5, std::numeric_limits<double>::infinity()};

    const std::string text = recorder.csv(summary);

    const std::size_t second = text.find('\n') + 1;
    const std::size_t third = text.find('\n', second) + 1;
    CHECK(text.substr(0, second) ==
          "iteration,objective,validationLoss,stepLength,evaluations,"
          "seconds\n");
    CHECK(without_seconds(text.substr(second, third - second)) ==
          "0,2,0.5,0,1,");
    CHECK(without_seconds(text.substr(third)) == "1,1.5,Infinity,0.25,3,");
  }

  TEST_CASE("leaves out what an earlier run of the program saw") {
    HistoryRecorder recorder;
    optim::Summary summary;
    summary.objective_history = {2.0};

    CHECK(recorder.csv(summary).ends_with("\n0,2,,,,\n"));
  }

  TEST_CASE("writes the history of the program without validation too") {
    const ScratchFolder folder;

    const auto result =
        run_program({"train", data_file("iris.csv"), "--layers", "4,5,3",
                     "--max-iter", "3", "-q", "--history", folder / "h.csv"});

    CHECK(result.exit_code == 0);
    const std::string text = read_bytes(folder / "h.csv");
    CHECK(text.find("\n3,") != text.npos);
    CHECK(text.find("\n4,") == text.npos);
  }

  TEST_CASE("writes to standard output, and the report to standard error") {
    const auto result =
        run_program({"train", data_file("iris.csv"), "--layers", "4,5,3",
                     "--max-iter", "1", "--history", "/dev/stdout"});

    CHECK(result.output.starts_with("iteration,objective,"));
    CHECK(result.output.find("train accuracy") == result.output.npos);
    CHECK(result.messages.find("train accuracy") != result.messages.npos);
  }
}

}  // namespace mlp::cli
