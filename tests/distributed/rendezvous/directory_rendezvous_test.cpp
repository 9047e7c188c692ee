// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/directory_rendezvous.hpp"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

using mlp::test::ScratchFolder;

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 10.0;

void gather_twice(const std::string& path, int rank, int num_ranks) {
  DirectoryRendezvous rendezvous(path, rank, num_ranks, kSeconds);
  gather_twice(rendezvous);
}

/// Returns true if a rank has written a file.
bool has_come(const std::string& path, int rank) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(path, error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("rank-" + std::to_string(rank))) return true;
  }
  return false;
}

/// A process that is killed after it has come to a group that is not complete.
void come_and_die(const std::string& path, int rank, int num_ranks) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      DirectoryRendezvous rendezvous(path, rank, num_ranks, kSeconds);
      static_cast<void>(rendezvous.all_gather("dead"));
    } catch (const std::exception&) {
      // Nobody reads the sentence.
    }
    ::_exit(0);
  }
  REQUIRE(child > 0);
  while (!has_come(path, rank)) std::this_thread::yield();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

TEST_SUITE("distributed/rendezvous/directory_rendezvous") {
  TEST_CASE("gathers the texts of one to four ranks and leaves nothing") {
    const ScratchFolder folder;

    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      CHECK(sentences(outcomes_of_ranks(num_ranks, [&](int rank) {
              gather_twice(folder.path(), rank, num_ranks);
            })) == "");
      CHECK(folder.num_files() == 0);
    }
  }

  TEST_CASE("makes the folder where it is missing") {
    const ScratchFolder folder;

    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            gather_twice(folder.path() + "/a/b", rank, 2);
          })) == "");
  }

  TEST_CASE("waits for a rank 0 that comes last") {
    const ScratchFolder folder;
    const std::string hello = folder.path() + "/rank-1.hello";

    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            while (rank == 0 && !std::filesystem::exists(hello)) {
              std::this_thread::yield();
            }
            gather_twice(folder.path(), rank, 2);
          })) == "");
  }

  TEST_CASE("does not take the files of a crashed group for its own") {
    const ScratchFolder folder;
    folder.write("rank-0.hello", "dead 0");
    folder.write("rank-1.hello", "dead 1");
    folder.write("rank-1.clash", "dead 1");
    folder.write("group", "word\ndead 0\ndead 1\n");
    folder.write("word.call-0.rank-0.text", "stale");
    folder.write("word.call-0.rank-1.text", "stale");
    const std::string own = folder.path() + "/word.call-0.rank-0.text";

    // Rank 0 comes first, takes the dead rank 1 for a live one, and names a
    // group that never meets; then comes the live one.
    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      while (rank == 1 && std::filesystem::exists(own)) {
        std::this_thread::yield();
      }
      gather_twice(folder.path(), rank, 2);
    });

    CHECK(sentences(outcomes) == "");
    CHECK(!std::filesystem::exists(own));
  }

  TEST_CASE("takes a worker that died before the group was whole again") {
    for (const int dead : {1, 2, 0}) {
      CAPTURE(dead);
      const ScratchFolder folder;
      come_and_die(folder.path(), dead, 3);

      CHECK(sentences(outcomes_of_ranks(3, [&](int rank) {
              gather_twice(folder.path(), rank, 3);
            })) == "");
    }
  }

  TEST_CASE("takes a worker again for which the others wait") {
    const ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      bool is_fine = false;
      try {
        gather_twice(folder.path(), 0, 3);
        is_fine = true;
      } catch (const std::exception&) {
        // The parent sees that it failed.
      }
      ::_exit(is_fine ? 0 : 1);
    }
    REQUIRE(child > 0);
    while (!has_come(folder.path(), 0)) std::this_thread::yield();

    come_and_die(folder.path(), 1, 3);
    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            gather_twice(folder.path(), rank + 1, 3);
          })) == "");

    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }

  TEST_CASE("names the ranks that did not come") {
    const ScratchFolder folder;

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      DirectoryRendezvous rendezvous(folder.path(), rank, 4, 0.3);
      static_cast<void>(rendezvous.all_gather("text"));
    });

    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.is_communication_error);
      CHECK(outcome.to_blame == -1);
    }
    CHECK(sentences(outcomes).find(
              "nothing received from ranks 2, 3 of 4 within 0.3 s in " +
              folder.path() +
              "; check that all ranks were started with this folder and this "
              "world size") != std::string::npos);
  }

  TEST_CASE("tells both workers that they have the same rank") {
    const ScratchFolder folder;

    const auto outcomes = outcomes_of_ranks(2, [&](int) {
      DirectoryRendezvous rendezvous(folder.path(), 1, 2, kSeconds);
      static_cast<void>(rendezvous.all_gather("text"));
    });

    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.to_blame == 1);
      CHECK(outcome.sentence ==
            "rank 1: each rank must be one process; two processes joined " +
                folder.path() +
                " with this rank; give each process its own rank, and each "
                "group its own folder");
    }
  }

  TEST_CASE("says what is wrong with a folder that cannot be") {
    const ScratchFolder folder;
    folder.write("file", "");
    DirectoryRendezvous rendezvous(folder.path() + "/file", 0, 2, kSeconds);

    CHECK_THROWS_AS(static_cast<void>(rendezvous.all_gather("text")),
                    ResourceError);
  }
}

}  // namespace mlp::distributed
