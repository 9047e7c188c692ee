// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cli/fit/rank_options.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp::cli {

namespace {

RankOptions read(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"train", "data.csv"});
  return read_rank_options(parse_command_line(std::move(flags)));
}

void check_refused(const std::vector<std::string>& flags,
                   const std::string& sentence) {
  CAPTURE(sentence);
  CHECK_THROWS_WITH_AS(read(flags), sentence.c_str(), ParamError);
}

/// How a training is started where these variables alone are set.
Transport transport_with(const std::vector<const char*>& variables) {
  for (const char* const name : variables) ::setenv(name, "1", 1);
  const RankOptions options = read({});
  for (const char* const name : variables) ::unsetenv(name);
  return options.transport;
}

}  // namespace

TEST_SUITE("cli/fit/rank_options") {
  TEST_CASE("is one rank where nothing asks for more") {
    const RankOptions options = read({});

    CHECK(options.transport == Transport::kNone);
    CHECK(options.num_ranks == 1);
    CHECK_FALSE(options.is_launcher);
    CHECK_FALSE(options.is_reproducible);
  }

  TEST_CASE("takes threads unless processes are asked for") {
    CHECK(read({"--ranks", "3"}).transport == Transport::kThreads);
    CHECK_FALSE(read({"--ranks", "3"}).is_launcher);
    for (const char* const transport : {"gloo", "mpi", "nccl"}) {
      CHECK(read({"--ranks", "3", "--transport", transport}).is_launcher);
    }
  }

  TEST_CASE("reads where a rank meets the others") {
    const RankOptions options = read(
        {"--rendezvous", "folder", "--rank", "1", "--world-size", "3",
         "--address", "10.0.0.1", "--rank-timeout", "2.5", "--reproducible"});

    CHECK(options.transport == Transport::kGloo);
    CHECK(options.rendezvous == "folder");
    CHECK(options.address == "10.0.0.1");
    CHECK(options.rank == 1);
    CHECK(options.world_size == 3);
    CHECK(options.timeout_seconds == 2.5);
    CHECK(options.is_reproducible);
    CHECK_FALSE(options.is_launcher);
  }

  TEST_CASE("is a rank of the MPI job that started it") {
    ::setenv("PMIX_RANK", "0", 1);
    const RankOptions options = read({});
    const RankOptions threads = read({"--ranks", "2"});
    ::unsetenv("PMIX_RANK");

    CHECK(options.transport == Transport::kMpi);
    CHECK_FALSE(options.is_launcher);
    CHECK(threads.transport == Transport::kThreads);
    CHECK(read({}).transport == Transport::kNone);
  }

  TEST_CASE("knows the variables of Open MPI, PMI, PMIx and Slurm") {
    for (const char* const name :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
      CHECK(transport_with({name}) == Transport::kMpi);
    }
    CHECK(transport_with({"SLURM_STEP_ID", "PMI_RANK"}) == Transport::kMpi);
    CHECK(transport_with({"SLURM_STEP_ID"}) == Transport::kNone);
    CHECK(transport_with({"PMI_RANK"}) == Transport::kNone);
  }

  TEST_CASE("refuses an address as the place where ranks meet") {
    for (const std::string place : {"tcp://h:1", "http://h", "file:///tmp"}) {
      check_refused(
          {"--rendezvous", place, "--rank", "0", "--world-size", "2"},
          "--rendezvous: must be a folder that all ranks can reach; got '" +
              place +
              "'; an address is not supported: give a folder, or start the "
              "ranks with mpirun");
    }
  }

  TEST_CASE("reads the transport and the device of a rank of NCCL") {
    const std::vector<std::string> place{
        "--rendezvous", "d",    "--rank",  "0", "--world-size", "2",
        "--transport",  "nccl", "--device"};
    const auto with_device = [&](const char* device) {
      std::vector<std::string> words = place;
      words.emplace_back(device);
      return read(words);
    };

    CHECK(with_device("cuda:3").transport == Transport::kNccl);
    CHECK(with_device("cuda:3").device == 3);
    CHECK(with_device("cuda").device == -1);
    CHECK(with_device("cuda:x").device == -1);
  }

  TEST_CASE("puts the rank into the names of files") {
    CHECK(has_rank("part-{rank}.csv"));
    CHECK_FALSE(has_rank("part.csv"));
    CHECK(file_of_rank("part-{rank}.csv", 3) == "part-3.csv");
    CHECK(file_of_rank("part.csv", 3) == "part.csv");
  }

  TEST_CASE("rejects flags that do not go together") {
    check_refused({"--rank", "1"},
                  "--rank: needs the folder through which the ranks find each "
                  "other; add --rendezvous");
    check_refused({"--address", "10.0.0.1"},
                  "--address: needs the folder through which the ranks find "
                  "each other; add --rendezvous");
    check_refused({"--rendezvous", "d", "--rank", "0"},
                  "--rendezvous: needs --world-size too; give every process "
                  "its own rank and the number of ranks");
    check_refused({"--rendezvous", "d", "--rank", "0", "--world-size", "2",
                   "--ranks", "2"},
                  "--ranks: cannot be combined with --rendezvous, which needs "
                  "each rank to be started separately; use only one of them");
    check_refused(
        {"--rendezvous", "d", "--rank", "0", "--world-size", "2", "--transport",
         "mpi"},
        "--transport: must be gloo or nccl with --rendezvous; got 'mpi'");
    check_refused({"--transport", "gloo"},
                  "--transport: needs several ranks; add --ranks N or "
                  "--rendezvous, or start the program with mpirun");
  }

  TEST_CASE("replaces each place of the rank in a name") {
    CHECK(file_of_rank("{rank}/part-{rank}.csv", 12) == "12/part-12.csv");
    CHECK(file_of_rank("part.csv", 12) == "part.csv");
  }

  TEST_CASE("reads how gradients are exchanged") {
    const RankOptions options =
        read({"--ranks", "2", "--exchange-plan", "bucketBytes=4096 threads=1",
              "--wire", "bfloat16", "--autotune", "--timeline", "t.json"});

    CHECK(options.plan.bucket_bytes == 4096);
    CHECK(options.plan.num_threads == 1);
    CHECK(options.plan.wire == WireType::kBfloat16);
    CHECK(options.is_autotuned);
    CHECK(options.timeline_file == "t.json");
  }

  TEST_CASE("rejects what would make bits depend on measured times") {
    check_refused(
        {"--reproducible", "--autotune"},
        "--autotune: cannot be combined with --reproducible, whose bits must "
        "not depend on measured times or on rounding; use only one of them");
    check_refused(
        {"--reproducible", "--wire", "float16"},
        "--wire: cannot be combined with --reproducible, whose bits must not "
        "depend on measured times or on rounding; use only one of them");
  }

  TEST_CASE("rejects NCCL where the CPU computes") {
    check_refused(
        {"--ranks", "2", "--transport", "nccl", "--device", "cpu"},
        "--transport: nccl sums in the memory of NVIDIA devices; --device cpu "
        "computes without one; use only one of them");
    check_refused(
        {"--ranks", "2", "--transport", "nccl", "--backend", "openblas"},
        "--transport: nccl sums in the memory of NVIDIA devices; --backend "
        "computes without one; use only one of them");
  }

  TEST_CASE("rejects what NCCL does not use") {
    check_refused(
        {"--ranks", "2", "--transport", "nccl", "--wire", "float16"},
        "--wire: is not used with --transport nccl, which sums each layer in "
        "the precision of its gradient; leave it out");
    check_refused(
        {"--ranks", "2", "--transport", "nccl", "--device", "cuda:1"},
        "--device: must be cuda with --ranks and --transport nccl, because "
        "each rank needs a device of its own; got 'cuda:1'");
  }

  TEST_CASE("rejects names that a flag does not accept") {
    check_refused(
        {"--ranks", "2", "--transport", "carrier"},
        "--transport: must be threads, gloo, mpi or nccl; got 'carrier'");
    check_refused({"--ranks", "2", "--wire", "float8"},
                  "--wire: must be asComputed, float16 or bfloat16; got "
                  "'float8'");
  }

  TEST_CASE("rejects numbers out of their intervals") {
    check_refused({"--ranks", "0"},
                  "--ranks: must be an integer from 1 to 1024; got '0'");
    check_refused({"--rendezvous", "d", "--rank", "2", "--world-size", "2"},
                  "--rank: must be an integer from 0 to 1; got '2'");
    check_refused({"--rank-timeout", "0"},
                  "--rank-timeout: must be a number of seconds > 0 and <= "
                  "1000000; got '0'");
    check_refused({"--rank-timeout", "1e12"},
                  "--rank-timeout: must be a number of seconds > 0 and <= "
                  "1000000; got '1e12'");
  }
}

}  // namespace mlp::cli
