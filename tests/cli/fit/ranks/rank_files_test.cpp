// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/fit/ranks/rank_files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

#include "../../../../core/error.hpp"
#include "../../../scratch_folder.hpp"
#include "../../command_words.hpp"

namespace mlp::cli {

namespace {

using namespace test;

void check(const std::string& data, Words flags) {
  flags.insert(flags.begin(), {"train", data});
  const CommandLine line = parse_command_line(std::move(flags));
  check_rank_files({data}, FlagReader(line), read_rank_options(line));
}

void check_refused(const std::string& data, const Words& flags,
                   const std::string& sentence) {
  CAPTURE(sentence);
  CHECK_THROWS_WITH_AS(check(data, flags), sentence.c_str(), ParamError);
}

const Words kProcesses{"--ranks", "2", "--transport", "gloo"};
const Words kMeeting{"--rendezvous", "d", "--rank", "0", "--world-size", "2"};

}  // namespace

TEST_SUITE("cli/fit/ranks/rank_files") {
  TEST_CASE("takes a file of each rank where the ranks are processes") {
    for (const Words& flags : {kProcesses, kMeeting}) {
      CHECK_NOTHROW(
          check("part-{rank}.csv", with(flags, {"-o", "model-{rank}.json"})));
      CHECK_NOTHROW(
          check("x-{rank}.npy", with(flags, {"--labels", "y-{rank}.npy"})));
    }
  }

  TEST_CASE("rejects such files where the ranks are no processes") {
    const std::string sentence =
        ": can contain {rank} only if the ranks are processes: with "
        "--transport gloo, mpi or nccl, --rendezvous or mpirun; got '";
    for (const Words& flags : {Words{}, Words{"--ranks", "2"}}) {
      check_refused("part-{rank}.csv", flags,
                    "the data file" + sentence + "part-{rank}.csv'");
      check_refused("d.csv", with(flags, {"-o", "m-{rank}.json"}),
                    "--out" + sentence + "m-{rank}.json'");
    }
  }

  TEST_CASE("rejects the rank in the name of what all ranks share") {
    for (const char* const flag :
         {"--validation", "--warm-start", "--initial-weights"}) {
      check_refused("d.csv", with(kProcesses, {flag, "v-{rank}"}),
                    std::string(flag) +
                        ": must be a name without {rank}, because all ranks "
                        "read the same file; got 'v-{rank}'");
    }
    check_refused("d.csv", with(kProcesses, {"--checkpoint", "c-{rank}"}),
                  "--checkpoint: must be a name without {rank}, because one "
                  "file has the state of all ranks; got 'c-{rank}'");
    check_refused("d.csv", with(kProcesses, {"--timeline", "t-{rank}"}),
                  "--timeline: must be a name without {rank}, because one file "
                  "has the timelines of all ranks; got 't-{rank}'");
  }

  TEST_CASE("rejects labels of each rank for one data file") {
    check_refused("d.npy", with(kProcesses, {"--labels", "y-{rank}.npy"}),
                  "--labels: must contain {rank} if and only if the data file "
                  "does; got 'y-{rank}.npy' for 'd.npy'");
  }

  TEST_CASE("rejects what several processes cannot read") {
    const ScratchFolder folder;
    const std::string fifo = folder / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const std::string sentence =
        ": must be a regular file if the ranks are processes, because each of "
        "them reads it; save the data to a file, or use --transport threads; "
        "got '";
    for (const std::string& name : {std::string("-"), std::string("/dev/stdin"),
                                    std::string("/dev/fd/3"), fifo}) {
      check_refused(name, kProcesses, "the data file" + sentence + name + "'");
      check_refused("d.csv", with(kProcesses, {"--validation", name}),
                    "--validation" + sentence + name + "'");
      CHECK_NOTHROW(check(name, {"--ranks", "2"}));
      CHECK_NOTHROW(check(name, kMeeting));
    }
  }

  TEST_CASE("rejects two files from standard input") {
    check_refused(
        "-", {"--validation", "-"},
        "--validation: cannot be standard input too, which is already "
        "the data file; save one of them to a file; got '-'");
  }
}

}  // namespace mlp::cli
