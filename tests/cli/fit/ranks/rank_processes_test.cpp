// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/ranks/rank_processes.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../../has_gloo.hpp"
#include "../../run_program.hpp"

namespace mlp::test {

namespace {

/// A training on processes that does not end by itself.
std::vector<std::string> endless(const char* num_ranks,
                                 const std::string& model) {
  return {"train",       data_file("digits.csv"),
          "--layers",    "64,20,10",
          "--solver",    "gd",
          "--tol",       "0",
          "--max-iter",  "1000000000",
          "--progress",  "always",
          "--transport", "gloo",
          "--ranks",     num_ranks,
          "-o",          model};
}

/// The process that the program has started first.
pid_t first_child(const Program& program) {
  const std::string id = std::to_string(program.id());
  return std::atoi(
      mlp::test::read_bytes("/proc/" + id + "/task/" + id + "/children")
          .c_str());
}

}  // namespace

TEST_SUITE("cli/fit/ranks/rank_processes") {
  TEST_CASE("passes signals on and leaves no folder behind") {
    if (!has_gloo()) return;
    for (const int signal : {SIGINT, SIGTERM}) {
      const ScratchFolder folder;
      const ScratchFolder temporary;
      ::setenv("TMPDIR", temporary.path().c_str(), 1);
      Program program(endless("2", folder / "model.json"));
      ::unsetenv("TMPDIR");
      program.wait_for_message(" left, objective");
      REQUIRE(temporary.num_files() > 0);

      program.send(signal);

      CHECK(program.finish().exit_code == 128 + signal);
      CHECK(temporary.num_files() == 0);
      CHECK(run_program({"inspect", folder / "model.json", "--verify"})
                .exit_code == 0);
    }
  }

  TEST_CASE("exits 7 if all ranks were killed") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    Program program(endless("1", folder / "model.json"));
    program.wait_for_message(" left, objective");

    ::kill(first_child(program), SIGKILL);

    const auto result = program.finish();
    CHECK(result.exit_code == 7);
    CHECK(result.messages.find("rank 0 was killed by signal 9") !=
          std::string::npos);
  }

  TEST_CASE("takes its own flags in every spelling from the ranks") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    const std::string model = folder / "model.json";

    const auto result = run_program(
        {"--ranks=2", "train", data_file("iris.csv"), "--transport=gloo",
         "--Threads=1", "--max-iter", "3", "-q", "-o", model});

    CHECK(result.messages == "");
    CHECK(result.exit_code == 0);
    CHECK(run_program({"inspect", model, "--verify"}).exit_code == 0);
  }

  TEST_CASE("warns of a file that no rank reads") {
    if (!has_gloo()) return;
    const ScratchFolder folder;
    for (const char* name : {"part-0.csv", "part-1.csv", "part-2.csv"}) {
      folder.write(name, "a,b,label\n1,2,0\n3,4,1\n");
    }
    const std::string warning =
        folder / "part-2.csv" + " exists, but there are only 2 ranks";

    const auto two =
        run_program({"train", folder / "part-{rank}.csv", "--layers", "2,2",
                     "--max-iter", "1", "--ranks", "2", "--transport", "gloo"});

    CHECK(two.exit_code == 0);
    CHECK(two.messages.find(warning) != std::string::npos);
  }

  TEST_CASE("ends a job of MPI with the error of the rank that fails") {
    const ScratchFolder folder;
    folder.write("part-0.csv", "a,b,label\n1,2,0\n3,4,1\n");
    folder.write("part-1.csv", "a,b,label\n1,2,0\n3\n");

    const auto job = run_program(
        {"train", folder / "part-{rank}.csv", "--layers", "2,2", "--max-iter",
         "1", "--ranks", "2", "--transport", "mpi", "--rank-timeout", "60"});

    if (job.messages.find("is not part of this build") != std::string::npos ||
        job.messages.find("mpirun cannot be started") != std::string::npos) {
      MESSAGE("test skipped: there is no MPI here");
      return;
    }
    CHECK(job.exit_code == 3);
    CHECK(job.messages.find("part-1.csv:3:1: expected 3 fields as in the first "
                            "row, got 1") != std::string::npos);
  }

  TEST_CASE(
      "says why ranks cannot be connected by NCCL, before it starts them") {
    const auto refused =
        run_program({"train", data_file("iris.csv"), "--layers", "4,5,3",
                     "--ranks", "1000", "--transport", "nccl"});

    CHECK(refused.exit_code == 7);
    CHECK(refused.messages.starts_with("mlp: error: NCCL"));
    CHECK(refused.messages.find('\n') == refused.messages.size() - 1);
  }

  TEST_CASE("says once that a program without the plugin has no Gloo") {
    const ScratchFolder folder;
    const std::string program = folder / "mlp";
    std::filesystem::copy_file(MLP_PROGRAM, program);

    const auto refused =
        run_program({"train", data_file("iris.csv"), "--layers", "4,5,3",
                     "--ranks", "2", "--transport", "gloo"},
                    program);

    CHECK(refused.exit_code == 7);
    CHECK(refused.messages.starts_with("mlp: error: Gloo (there is no file "));
    CHECK(refused.messages.find('\n') == refused.messages.size() - 1);
  }
}

}  // namespace mlp::test
