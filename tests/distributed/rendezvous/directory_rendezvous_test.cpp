// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/directory_rendezvous.hpp"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <latch>
#include <string>
#include <system_error>
#include <thread>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

using mlp::test::InFolder;
using mlp::test::read_bytes;
using mlp::test::ScratchFolder;

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 10.0;

std::string sub_folder(const ScratchFolder& folder) {
  return folder / "mlp-ranks";
}

/// What both of two processes of the same rank are told.
std::string clash_of(const ScratchFolder& folder, int rank) {
  return "rank " + std::to_string(rank) +
         ": each rank must be one process; two processes joined " +
         folder.path() +
         " with this rank; give each process its own rank, and each group its "
         "own folder";
}

void make_sub_folder(const ScratchFolder& folder) {
  REQUIRE(::mkdir(sub_folder(folder).c_str(), 0700) == 0);
}

/// Leaves the files of a group that was killed, and returns one of them.
std::string leave_crashed_group(const ScratchFolder& folder) {
  const std::string word(32, 'e');
  const std::string dead_0(32, '0');
  const std::string dead_1(32, '1');
  const auto leave_file = [&](const std::string& name,
                              const std::string& text) {
    return folder.write("mlp-ranks/" + name, text);
  };
  leave_file("rank-0.hello", dead_0);
  leave_file("rank-1.hello", dead_1);
  leave_file("rank-1.clash", dead_1);
  leave_file("half.tmp", "half");
  leave_file("group", word + '\n' + dead_0 + '\n' + dead_1 + '\n');
  leave_file(word + ".call-0.rank-1.text", "stale");
  return leave_file(word + ".call-0.rank-0.text", "stale");
}

void gather_twice(const std::string& path, int rank, int num_ranks) {
  DirectoryRendezvous rendezvous(path, rank, num_ranks, kSeconds);
  gather_twice(rendezvous);
}

/// Lets all ranks meet in a folder, and returns why they could not.
std::string meet(const ScratchFolder& folder, int num_ranks) {
  return sentences(outcomes_of_ranks(num_ranks, [&](int rank) {
    gather_twice(folder.path(), rank, num_ranks);
  }));
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
  TEST_CASE_FIXTURE(
      InFolder, "gathers the texts of one to four ranks and leaves nothing") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      CHECK(meet(folder, num_ranks) == "");
      CHECK(folder.num_files() == 0);
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a folder that does not exist, on every rank") {
    const std::string sentence =
        "a rendezvous needs a folder that exists; " + folder.path() +
        "/a does not exist; make the folder, or correct its name";

    for (const Outcome& outcome : outcomes_of_ranks(2, [&](int rank) {
           gather_twice(folder.path() + "/a", rank, 2);
         })) {
      CHECK(outcome.sentence == sentence);
    }
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "meets in a sub-folder that nobody else can enter") {
    struct stat status {};

    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            DirectoryRendezvous rendezvous(folder.path(), rank, 2, kSeconds);
            static_cast<void>(rendezvous.all_gather("text"));
            if (rank == 1) ::stat(sub_folder(folder).c_str(), &status);
            static_cast<void>(rendezvous.all_gather("text"));
          })) == "");

    CHECK(S_ISDIR(status.st_mode));
    CHECK((status.st_mode & 0777) == 0700);
  }

  TEST_CASE_FIXTURE(
      InFolder, "does not write through a link that somebody has put there") {
    const std::string victim = folder.write("victim", "precious");
    for (const char* const name : {"rank-0.hello", "rank-1.hello", "group"}) {
      std::filesystem::create_symlink(victim, folder / name);
    }

    CHECK(meet(folder, 2) == "");
    CHECK(read_bytes(victim) == "precious");
  }

  TEST_CASE("refuses a link and a pipe in the place of a hello") {
    for (const char* const kind : {"link", "pipe"}) {
      const ScratchFolder folder;
      make_sub_folder(folder);
      const std::string hello = sub_folder(folder) + "/rank-1.hello";
      const std::string victim = folder.write("victim", "precious");
      if (kind == std::string("link")) {
        std::filesystem::create_symlink(victim, hello);
      } else {
        REQUIRE(::mkfifo(hello.c_str(), 0600) == 0);
      }
      DirectoryRendezvous rendezvous(folder.path(), 0, 2, kSeconds);

      CHECK_THROWS_WITH_AS(
          rendezvous.all_gather("text"),
          (hello +
           ": must be a regular file of this user of at most 16777216 bytes; "
           "it is " +
           (kind == std::string("link") ? "a link or a socket"
                                        : "a pipe, a device or a folder") +
           "; remove it")
              .c_str(),
          ResourceError);
      CHECK(read_bytes(victim) == "precious");
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "does not leave the sub-folder by a name that it reads") {
    const std::string victim = folder.write("victim.call-0.rank-0.text", "x");
    make_sub_folder(folder);
    DirectoryRendezvous rendezvous(folder.path(), 1, 2, 0.3);
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      const std::string hello = sub_folder(folder) + "/rank-1.hello";
      while (!is_over && read_bytes(hello).size() != 32) {
        std::this_thread::yield();
      }
      std::ofstream(sub_folder(folder) + "/group")
          << "../victim\n"
          << std::string(32, 'a') << '\n'
          << read_bytes(hello) << '\n';
    });

    CHECK_THROWS_AS(rendezvous.all_gather("text"), CommunicationError);
    is_over = true;
    other.join();
    CHECK(!std::filesystem::exists(folder / "victim.call-0.rank-1.text"));
  }

  TEST_CASE_FIXTURE(
      InFolder, "meets again where an earlier group removes the sub-folder") {
    make_sub_folder(folder);

    // Rank 1 opens the old sub-folder, which is removed before rank 0 comes.
    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      const std::string hello = sub_folder(folder) + "/rank-1.hello";
      if (rank == 0) {
        while (!std::filesystem::exists(hello)) std::this_thread::yield();
        std::filesystem::remove_all(sub_folder(folder));
      }
      gather_twice(folder.path(), rank, 2);
    });

    CHECK(sentences(outcomes) == "");
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(
      InFolder, "meets many times in one folder, one group after the other") {
    const auto outcomes = outcomes_of_ranks(3, [&](int rank) {
      for (int i = 0; i < 10; ++i) gather_twice(folder.path(), rank, 3);
    });

    CHECK(sentences(outcomes) == "");
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(InFolder, "waits for a rank 0 that comes last") {
    constexpr std::chrono::milliseconds kLate{100};

    CHECK(sentences(outcomes_of_ranks(2, [&](int rank) {
            if (rank == 0) std::this_thread::sleep_for(kLate);
            gather_twice(folder.path(), rank, 2);
          })) == "");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "does not take the files of a crashed group for its own") {
    make_sub_folder(folder);
    const std::string own = leave_crashed_group(folder);

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
    CHECK(!std::filesystem::exists(sub_folder(folder) + "/half.tmp"));
  }

  TEST_CASE("takes a worker that died before the group was whole again") {
    for (const int dead : {1, 2, 0}) {
      CAPTURE(dead);
      const ScratchFolder folder;
      // Rank 0 makes it; here an earlier rank 0 did.
      make_sub_folder(folder);
      come_and_die(folder.path(), dead, 3);

      CHECK(meet(folder, 3) == "");
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "takes a worker again for which the others wait") {
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

  TEST_CASE_FIXTURE(InFolder, "names the ranks that did not come") {
    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      DirectoryRendezvous rendezvous(folder.path(), rank, 4, 1.0);
      static_cast<void>(rendezvous.all_gather("text"));
    });

    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.is_communication_error);
      CHECK(outcome.to_blame == -1);
    }
    CHECK(sentences(outcomes).find(
              "nothing received from ranks 2, 3 of 4 within 1 s in " +
              folder.path() +
              "; check that all ranks were started with this folder and this "
              "world size") != std::string::npos);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "names rank 0 where it does not make the sub-folder") {
    DirectoryRendezvous rendezvous(folder.path(), 1, 2, 0.1);

    CHECK_THROWS_WITH_AS(
        rendezvous.all_gather("text"),
        ("rank 0: nothing received from rank 0 of 2 within 0.1 s in " +
         folder.path() +
         "; check that all ranks were started with this folder and this world "
         "size")
            .c_str(),
        CommunicationError);
  }

  TEST_CASE("tells both workers that they have the same rank") {
    for (const int rank : {0, 1}) {
      const ScratchFolder folder;
      make_sub_folder(folder);

      const auto outcomes = outcomes_of_ranks(2, [&](int) {
        DirectoryRendezvous rendezvous(folder.path(), rank, 2, kSeconds);
        static_cast<void>(rendezvous.all_gather("text"));
      });

      for (const Outcome& outcome : outcomes) {
        CHECK(outcome.sentence == clash_of(folder, rank));
      }
    }
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "tells a worker of a group, and another that comes as its rank") {
    std::latch met(2);
    std::latch told(2);

    const auto outcomes = outcomes_of_ranks(3, [&](int worker) {
      if (worker == 2) met.wait();
      DirectoryRendezvous rendezvous(folder.path(), std::min(worker, 1), 2,
                                     kSeconds);
      try {
        static_cast<void>(rendezvous.all_gather("text"));
        met.count_down();
        if (worker == 0) return told.wait();
        static_cast<void>(rendezvous.all_gather("text"));
      } catch (const CommunicationError&) {
        told.count_down();
        throw;
      }
    });

    CHECK(outcomes[1].sentence == clash_of(folder, 1));
    CHECK(outcomes[2].sentence == clash_of(folder, 1));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "says what is wrong with a folder that cannot be") {
    folder.write("file", "");
    DirectoryRendezvous rendezvous(folder.path() + "/file", 0, 2, kSeconds);

    CHECK_THROWS_WITH_AS(
        rendezvous.all_gather("text"),
        ("a rendezvous needs a folder that exists; " + folder.path() +
         "/file is not a folder; make the folder, or correct its name")
            .c_str(),
        ParamError);
  }
}

}  // namespace mlp::distributed
